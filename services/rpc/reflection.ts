import { createRegistry, type DescFile, type DescService, type MessageInitShape, toBinary } from '@bufbuild/protobuf';
import { FileDescriptorProtoSchema } from '@bufbuild/protobuf/wkt';
import { Code, ConnectError, type ServiceImpl } from '@connectrpc/connect';
import {
  ServerReflection,
  type ServerReflectionRequest,
  type ServerReflectionResponseSchema,
} from '../../gen/grpc/reflection/v1/reflection_pb.ts';
import { ServerReflection as ServerReflectionAlpha } from '../../gen/grpc/reflection/v1alpha/reflection_pb.ts';
import { clean } from '../process/text.ts';
import { implementation } from './boundary.ts';
import type { Implementation } from './direct.ts';

/** How many questions a stream may ask. A tool that describes everything asks a few hundred. */
const QUESTIONS_MOST = 1_000;

/** How much of an unknown name is shown, in characters. */
const SHOWN = 100;

type Answer = MessageInitShape<typeof ServerReflectionResponseSchema>['messageResponse'];

/**
 * Creates gRPC server reflection, in both versions of its protocol, over the descriptors of `services` and its own two
 * (DECISIONS.md "Reflection"). It holds nothing else, so it can reveal nothing else.
 */
export function createReflection(services: readonly DescService[]): Implementation[] {
  const described = describe([...services, ServerReflection, ServerReflectionAlpha]);

  async function* serverReflectionInfo(
    questions: AsyncIterable<ServerReflectionRequest>,
  ): AsyncGenerator<MessageInitShape<typeof ServerReflectionResponseSchema>> {
    const sent = new Set<DescFile>();
    let asked = 0;
    for await (const question of questions) {
      if (++asked > QUESTIONS_MOST) {
        const message = `A stream takes ${QUESTIONS_MOST} questions: open another one for more.`;
        throw new ConnectError(message, Code.ResourceExhausted);
      }
      const messageResponse = described.answerTo(question.messageRequest, sent)!;
      yield { validHost: question.host, originalRequest: question, messageResponse };
    }
  }

  const methods: ServiceImpl<typeof ServerReflection> = { serverReflectionInfo };
  return [
    implementation(ServerReflection, methods),
    // The two differ only in the name of their package.
    implementation(ServerReflectionAlpha, methods as unknown as ServiceImpl<typeof ServerReflectionAlpha>),
  ];
}

/** Answers questions about `services`. `sent`: the files already sent on the stream, which are not sent again as imports. */
function describe(services: readonly DescService[]) {
  const files = withImports(services.map(({ file }) => file));
  const byName = new Map(files.map(file => [file.proto.name, file]));
  const types = createRegistry(...files);
  const bytes = new Map(files.map(file => [file, toBinary(FileDescriptorProtoSchema, file.proto)]));
  const names = services.map(({ typeName }) => typeName).sort();

  function fileOf(symbol: string): DescFile | undefined {
    const method = symbol.slice(symbol.lastIndexOf('.') + 1);
    const ofMethod = types.getService(symbol.slice(0, -method.length - 1));
    return (
      types.get(symbol)?.file ?? (ofMethod?.methods.some(({ name }) => name === method) ? ofMethod.file : undefined)
    );
  }

  function extensionsOf(typeName: string) {
    return [...types]
      .filter(type => type.kind === 'extension')
      .filter(({ extendee }) => extendee.typeName === typeName);
  }

  function toldFiles(file: DescFile | undefined, name: string, sent: Set<DescFile>): Answer {
    if (file === undefined) return notFound(name);
    const fresh = withImports([file]).filter(one => one === file || !sent.has(one));
    for (const one of fresh) sent.add(one);
    const fileDescriptorProto = fresh.map(one => bytes.get(one)!);
    return { case: 'fileDescriptorResponse', value: { fileDescriptorProto } };
  }

  return {
    answerTo(question: ServerReflectionRequest['messageRequest'], sent: Set<DescFile>): Answer {
      switch (question.case) {
        case 'listServices':
          return { case: 'listServicesResponse', value: { service: names.map(name => ({ name })) } };
        case 'fileByFilename':
          return toldFiles(byName.get(question.value), question.value, sent);
        case 'fileContainingSymbol':
          return toldFiles(fileOf(question.value), question.value, sent);
        case 'fileContainingExtension': {
          const { containingType, extensionNumber } = question.value;
          const extension = extensionsOf(containingType).find(({ number }) => number === extensionNumber);
          return toldFiles(extension?.file, `${containingType} ${extensionNumber}`, sent);
        }
        case 'allExtensionNumbersOfType': {
          if (types.getMessage(question.value) === undefined) return notFound(question.value);
          const extensionNumber = extensionsOf(question.value).map(({ number }) => number);
          return { case: 'allExtensionNumbersResponse', value: { baseTypeName: question.value, extensionNumber } };
        }
        case undefined:
          return failed(Code.InvalidArgument, 'The reflection request is of an unknown kind.');
      }
    },
  };
}

/** Returns the files and all that they import, directly or not: each once, the given ones first. */
function withImports(given: readonly DescFile[]): DescFile[] {
  const found = new Set(given);
  // Iterating over a set includes what is added meanwhile.
  for (const file of found) for (const imported of file.dependencies) found.add(imported);
  return [...found];
}

function notFound(name: string): Answer {
  return failed(Code.NotFound, `This port serves nothing that is described as ${clean(name, SHOWN)}.`);
}

function failed(errorCode: Code, errorMessage: string): Answer {
  return { case: 'errorResponse', value: { errorCode, errorMessage } };
}
