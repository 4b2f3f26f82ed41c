import type { Console } from './console.ts';

/** Deletes and revokes all that an account holds, as its owner does who leaves: sources first, what they stand on after them. */
export async function emptied(of: Console): Promise<void> {
  const page = { pageSize: 200 };
  for (const { id } of (await of.alarms.listAlarms(page)).alarms) await of.alarms.deleteAlarm({ alarmId: id });
  for (const { id } of (await of.panicButtons.listPanicButtons(page)).panicButtons) {
    await of.panicButtons.deletePanicButton({ panicButtonId: id });
  }
  for (const { id } of (await of.policies.listPolicies(page)).policies)
    await of.policies.deletePolicy({ policyId: id });
  for (const { id } of (await of.duties.listDuties(page)).duties) await of.duties.deleteDuty({ dutyId: id });
  for (const { id } of (await of.contacts.listContacts(page)).contacts)
    await of.contacts.deleteContact({ contactId: id });
  for (const { id } of (await of.locations.listLocations(page)).locations) {
    await of.locations.deleteLocation({ locationId: id });
  }
  for (const { id, status } of (await of.apiKeys.listApiKeys(page)).apiKeys) {
    if (status === 'active') await of.apiKeys.revokeApiKey({ apiKeyId: id });
  }
}
