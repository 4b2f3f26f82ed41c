/** What the first ten minutes say. */
export const words = {
  title: 'Your first alarm',
  lead: 'Seven short steps from nothing to an alarm that alerts somebody. Leave whenever you like: what is done stays done.',
  progress: (done: number, all: number) => `${done} of ${all} done`,
  later: 'Later',
  place: {
    title: 'Where is it?',
    text: 'A home, a shop, a barn. People who are alerted see its address.',
    name: 'Name of the place',
    suggested: 'Home',
    address: 'Address, for those who have to go there (optional)',
    do: 'Add the place',
  },
  person: {
    title: 'Who is alerted?',
    text: 'Start with yourself. Others can be added later.',
    name: 'Name',
    email: 'Email address',
    do: 'Add this person',
  },
  verify: {
    title: 'Does it reach them?',
    text: 'No live alert goes to an address until a code sent to it has been entered here.',
  },
  policy: {
    title: 'In which order?',
    text: (name: string) =>
      `To begin with, ${name} is alerted at once, and again 5 minutes later. Steps and people can be added any time.`,
    name: (name: string) => `${name} first`,
    do: 'Start with that',
  },
  alarm: {
    title: 'What raises the alarm?',
    text: 'An alarm is what a camera or a home automation system arms and triggers. It starts in test, so trying it wakes nobody.',
    name: 'Name of the alarm',
    suggested: 'House',
    begins: (seconds: number) =>
      `It alerts whether armed or not, so that your first call gets through. Once a device arms it, switch on “Alert only when armed” in its settings. A disarm ends its incident, and in mode Away it waits ${seconds} seconds for one before it alerts anybody.`,
    do: 'Add the alarm',
  },
  call: {
    title: 'Connect a device',
    text: 'Devices call with an API key. Create one, then paste this line into a terminal, or its address and key into your device.',
    label: 'First device',
    do: 'Create a key',
    again: 'Create another key',
    noted: 'I have it',
    ownerMakes: 'Only an owner of the account can create API keys.',
    once: 'The key is shown only once. Keep it where your device can read it.',
    line: 'The command',
    waiting: 'Waiting for the first call. It appears here by itself.',
    arrived: (outcome: string) => `It arrived: ${outcome}.`,
  },
  live: {
    title: 'Rehearse, then go live',
    text: 'A rehearsal fires it in test and says line by line what would happen. Going live asks once more, with the names of those who will be alerted.',
  },
  done: {
    title: 'It is live.',
    text: (alarm: string, person: string) => `When ${alarm} is triggered, ${person} is alerted. You are done here.`,
    alarm: 'Look at the alarm',
    home: 'Go to Home',
  },
};
