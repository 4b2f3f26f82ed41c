/** What somebody may write as a name who wants to change the message around it: each with a word that says what it is. */
export const NASTY: readonly (readonly [what: string, text: string])[] = [
  ['a header after CR and LF', 'House\r\nBcc: mallory@example.com\r\n\r\nbody'],
  ['control characters', 'Ho\0u\x1b[31mse\x07\x7f\u009b'],
  ['an override of the direction', 'exe.\u202Egpj\u2066\u200F'],
  ['the line separators of Unicode', 'a\u2028b\u2029c\u0085d'],
  ['HTML', '<script>alert(1)</script><a href="https://evil.example">x</a>&amp;\'"'],
  ['TwiML', '</Say><Dial>+12025550199</Dial><Say>]]>&lt;'],
  ['template syntax', '{{7*7}}#{7*7}<%= 7*7 %>%s%n$(id)`id`'],
  ['half of a pair', 'a\uD800b\uDC00c'],
  ['10 KB', 'x'.repeat(10_240)],
  ['10 KB of wide letters', '🔥'.repeat(5_120)],
  ['nothing that can be shown', '\u202E\r\n\0'],
];
