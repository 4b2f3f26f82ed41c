import { Segments } from '../../design/fields.tsx';
import { wordsOf } from '../words.ts';

/** For how long a test may be chosen to last, in seconds (DECISIONS.md "A test ends"). */
export const TEST_FOR_S = { hour: 3_600, day: 86_400, week: 7 * 86_400 } as const;

export type TestFor = keyof typeof TEST_FOR_S;

/** The choice until somebody makes another one. */
export const TEST_FOR: TestFor = 'day';

/** Asks how long a test should last. */
export function ChooseTestFor({ value, onChoose }: { value: TestFor; onChoose(value: TestFor): void }) {
  const { testFor, testForText, testForOptions } = wordsOf('alarms');
  return (
    <>
      <Segments
        label={testFor}
        name="test-for"
        value={value}
        options={[
          ['hour', testForOptions.hour],
          ['day', testForOptions.day],
          ['week', testForOptions.week],
        ]}
        onChoose={chosen => onChoose(chosen as TestFor)}
      />
      <p class="soft small">{testForText}</p>
    </>
  );
}
