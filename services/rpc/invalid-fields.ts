import { Code, ConnectError } from '@connectrpc/connect';
import { InvalidFieldsSchema } from '../../gen/tocsin/common/v1/common_pb.ts';

/** One thing that is wrong with a request: where, by its proto JSON path, and a sentence. */
export interface FieldFault {
  field: string;
  problem: string;
}

/** INVALID_ARGUMENT with everything that is wrong; the message says it once more for who reads no details. */
export function invalidFields(fields: readonly FieldFault[]): ConnectError {
  const sentences = fields.map(({ field, problem }) => (field === '' ? problem : `${field} ${problem}`));
  const details = [{ desc: InvalidFieldsSchema, value: { fields: [...fields] } }];
  return new ConnectError(sentences.join(' '), Code.InvalidArgument, undefined, details);
}
