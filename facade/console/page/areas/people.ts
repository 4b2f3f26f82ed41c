/* Fetched as one, when the first of them is opened. */
export { PeopleScreen } from '../screens/people.tsx';
export { PersonScreen } from '../screens/person.tsx';
export { PoliciesScreen } from '../screens/policies.tsx';
export { PolicyScreen } from '../screens/policy.tsx';
