export const emailCode = (email: string, code: string) => ({
  way: { case: 'emailCode' as const, value: { email, code } },
});

export const link = (secret: string) => ({ way: { case: 'link' as const, value: { secret } } });
export const consoleToken = (token: string) => ({ way: { case: 'consoleToken' as const, value: { token } } });
