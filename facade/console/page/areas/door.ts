/* What people see before they are signed in, fetched as one. */
export { ConfirmScreen } from '../screens/confirm.tsx';
export { PhoneScreen } from '../screens/phone.tsx';
export { SignInScreen } from '../screens/sign-in.tsx';
