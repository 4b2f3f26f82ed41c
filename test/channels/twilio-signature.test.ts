import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isSigned } from '../../services/channels/twilio/signature.ts';

/** The request that Twilio's own libraries are tested with; the signatures are theirs, not computed here. */
const authToken = '12345';
const url = 'https://mycompany.com/myapp.php?foo=1&bar=2';
const fields = fieldsOf([
  ['To', '+18005551212'],
  ['CallSid', 'CA1234567890ABCDE'],
  ['Digits', '1234'],
  ['Caller', '+14158675309'],
  ['From', '+14158675309'],
]);
const signature = 'RSOYDt4T1cUTdK1PDd93/VVr8B8=';

describe('the vectors of the libraries of Twilio', () => {
  test.each([
    ['as it is', url, signature],
    ['signed without the port that the URL has', url.replace('.com', '.com:1234'), signature],
    [
      'http with a port',
      url.replace('https://mycompany.com', 'http://mycompany.com:1234'),
      'Zmvh+3yNM1Phv2jhDCwEM3q5ebU=',
    ],
    ['https signed with the port that goes without saying', url, 'kvajT1Ptam85bY51eRf/AJRuM3w='],
    [
      'http signed with the port that goes without saying',
      url.replace('https', 'http'),
      '0ZXoZLH/DfblKGATFgpif+LLRf4=',
    ],
    ['with a login', url.replace('mycompany', 'user:pass@mycompany'), 'CukzLTc1tT5dXEDIHm/tKBanW10='],
    ['with a user alone', url.replace('mycompany', 'user@mycompany'), '2YRLlVAflCqxaNicjMpJcSTgzSs='],
    ['with a login and a port', url.replace('mycompany', 'user:pass@mycompany'), 'ZQFR1PTIZXF2MXB8ZnKCvnnA+rI='],
    ['signs in the query', `${url}&Body=It's+amazing`, 'dsq4Ehbj6cs+KdTkpF5sSSplOWw='],
  ])('%s', (_what, at, signed) => {
    expect(isSigned({ authToken, url: at, fields, signature: signed })).toBe(true);
  });

  test.each([
    ['in one order', ['+1325xxxxxxx', '+1415xxxxxxx']],
    ['in the other', ['+1415xxxxxxx', '+1325xxxxxxx']],
    ['one of them twice', ['+1415xxxxxxx', '+1325xxxxxxx', '+1415xxxxxxx']],
  ])('a field that comes more than once, %s', (_what, values) => {
    const several = fieldsOf(values.map(value => ['MessagingBinding.Address', value]));
    expect(isSigned({ authToken, url, fields: several, signature: '83O6e2vORAoJHUNzJjDWN1jz+BA=' })).toBe(true);
  });

  test('several fields and values', () => {
    const several = fieldsOf([
      ['Sid', 'CA123'],
      ['SidAccount', 'AC123'],
      ['Digits', '5678'],
      ['Digits', '1234'],
      ['Digits', '1234'],
    ]);
    expect(isSigned({ authToken, url, fields: several, signature: 'IK+Dwps556ElfBT0I3Rgjkr1wJU=' })).toBe(true);
  });
});

describe('what is not believed', () => {
  const right = { authToken, url, fields, signature };

  test('the request as it stands is', () => {
    expect(isSigned(right)).toBe(true);
  });

  test.each([
    ['no signature', { signature: '' }],
    ['a signature of another length', { signature: `${signature}=` }],
    ['one sign changed', { signature: signature.replace('R', 'S') }],
    ['the same in other letters', { signature: signature.toLowerCase() }],
    ['blanks around it', { signature: ` ${signature}` }],
    ['signs beyond ASCII', { signature: 'é'.repeat(28) }],
    ['two signatures', { signature: `${signature}, ${signature}` }],
    ['another token', { authToken: '12346' }],
    ['another path', { url: url.replace('myapp', 'other') }],
    ['another host', { url: url.replace('mycompany', 'elsewhere') }],
    ['another scheme', { url: url.replace('https', 'http') }],
    ['another query', { url: `${url}&x=1` }],
    ['no URL at all', { url: 'carrier/twilio/status' }],
    ['a field less', { fields: new Map([...fields].filter(([name]) => name !== 'Digits')) }],
    ['a field more', { fields: new Map([...fields, ['Extra', ['']]]) }],
    ['a value changed', { fields: new Map([...fields, ['Digits', ['1235']]]) }],
    ['a value doubled with another', { fields: new Map([...fields, ['Digits', ['1234', '1']]]) }],
    ['no fields', { fields: new Map() }],
  ])('%s', (_what, but) => {
    expect(isSigned({ ...right, ...but })).toBe(false);
  });

  test('nothing makes it throw', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (at, signed) => {
        expect(isSigned({ ...right, url: at, signature: signed })).toBe(false);
      }),
    );
  });
});

function fieldsOf(pairs: readonly (readonly [string, string])[] | string[][]): Map<string, string[]> {
  const map = new Map<string, string[]>();
  for (const [name = '', value = ''] of pairs) map.set(name, [...(map.get(name) ?? []), value]);
  return map;
}
