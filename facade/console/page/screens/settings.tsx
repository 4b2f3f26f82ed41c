import { Tabs } from '../parts/tabs.tsx';
import { AccessPart } from '../settings/access.tsx';
import { AccountPart } from '../settings/account.tsx';
import { DoctorPart } from '../settings/doctor.tsx';
import { FilePart } from '../settings/file.tsx';
import { MembersPart } from '../settings/members.tsx';
import { PlanPart } from '../settings/plan.tsx';
import { wordsOf } from '../words.ts';

const PARTS = {
  account: AccountPart,
  plan: PlanPart,
  members: MembersPart,
  access: AccessPart,
  file: FilePart,
  doctor: DoctorPart,
} as const;

type PartName = keyof typeof PARTS;

const addressOfPart = (name: string) => (name === 'account' ? 'settings' : `settings/${name}`);

/** Shows the account's settings, members, access, spending and file, and the state of the deployment. */
export function SettingsScreen({ part = 'account' }: { part?: string | undefined }) {
  const say = wordsOf('settings');
  const name = (Object.hasOwn(PARTS, part) ? part : 'account') as PartName;
  const Part = PARTS[name];
  return (
    <>
      <h1>{say.title}</h1>
      <Tabs
        label={say.title}
        now={addressOfPart(name)}
        tabs={Object.entries(say.parts).map(([name, label]) => [addressOfPart(name), label] as const)}
      />
      <Part />
    </>
  );
}
