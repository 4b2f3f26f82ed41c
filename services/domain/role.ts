/** What a member may do, most first: each role includes those after it (DECISIONS.md "Members and roles"). */
export const ROLES = ['owner', 'editor', 'responder', 'viewer'] as const;

export type Role = (typeof ROLES)[number];

/**
 * What gives access to a method of the console: at least this role. `operator`: the operator's token, which the method
 * itself checks; `signed_in`: any session; `nobody`: no authentication, because people sign in with it.
 */
export type Least = Role | 'operator' | 'signed_in' | 'nobody';

/** What gives access to each method, by service and name. This is the only place that defines it. */
export const LEAST: Readonly<Record<string, Readonly<Record<string, Least>>>> = {
  'tocsin.console.v1.AccountService': {
    CreateAccount: 'operator',
    GetAccount: 'viewer',
    ListAccounts: 'operator',
    UpdateAccount: 'owner',
    DeleteAccount: 'operator',
    ListDeletedAccounts: 'operator',
    EraseAccount: 'operator',
    GetWebhookSecret: 'owner',
    ListNotices: 'viewer',
    GetSpend: 'viewer',
    GetPlan: 'viewer',
    CreateToken: 'operator',
    ListTokens: 'owner',
    RevokeToken: 'owner',
  },
  'tocsin.console.v1.AlarmService': {
    CreateAlarm: 'editor',
    GetAlarm: 'viewer',
    ListAlarms: 'viewer',
    UpdateAlarm: 'editor',
    DeleteAlarm: 'editor',
  },
  'tocsin.console.v1.ApiKeyService': {
    CreateApiKey: 'owner',
    GetApiKey: 'viewer',
    ListApiKeys: 'viewer',
    UpdateApiKey: 'owner',
    RotateApiKey: 'owner',
    RevokeApiKey: 'owner',
  },
  'tocsin.console.v1.AuditService': { ListChanges: 'viewer' },
  'tocsin.console.v1.CarrierService': {
    ListCarriers: 'operator',
    SetCarrier: 'operator',
    TryCarrier: 'operator',
    RemoveCarrier: 'operator',
    SendTestMessage: 'operator',
  },
  'tocsin.console.v1.ConfigurationService': {
    Check: 'editor',
    // Applying a file creates keys and changes the account itself.
    Apply: 'owner',
    Export: 'viewer',
    GetSchema: 'viewer',
  },
  'tocsin.console.v1.ContactService': {
    CreateContact: 'editor',
    GetContact: 'viewer',
    ListContacts: 'viewer',
    UpdateContact: 'editor',
    DeleteContact: 'editor',
    SendVerificationCode: 'editor',
    VerifyChannel: 'editor',
    CreateChatLink: 'editor',
    CreateDeviceLink: 'editor',
    CreateOwnDeviceLink: 'viewer',
    ListDevices: 'viewer',
    RemoveDevice: 'editor',
  },
  'tocsin.console.v1.DayService': { ListDays: 'viewer' },
  'tocsin.console.v1.DeploymentService': {
    GetDeployment: 'viewer',
    GetBackups: 'operator',
    BackUpNow: 'operator',
    SetPublicUrl: 'operator',
    SetBackups: 'operator',
  },
  'tocsin.console.v1.DrillService': {
    Drill: 'responder',
    StartDrill: 'responder',
    ListProofs: 'viewer',
    Rehearse: 'responder',
  },
  'tocsin.console.v1.DutyService': {
    CreateDuty: 'editor',
    GetDuty: 'viewer',
    ListDuties: 'viewer',
    UpdateDuty: 'editor',
    DeleteDuty: 'editor',
    OnDuty: 'viewer',
    ListShifts: 'viewer',
    Cover: 'editor',
    Swap: 'editor',
    RotateFeed: 'editor',
    RevokeFeed: 'editor',
    GetFeed: 'nobody',
  },
  'tocsin.console.v1.LocationService': {
    CreateLocation: 'editor',
    GetLocation: 'viewer',
    ListLocations: 'viewer',
    UpdateLocation: 'editor',
    DeleteLocation: 'editor',
  },
  'tocsin.console.v1.MemberService': {
    ListMembers: 'viewer',
    InviteMember: 'owner',
    InviteAgain: 'owner',
    UpdateMember: 'owner',
    RemoveMember: 'owner',
  },
  'tocsin.console.v1.PanicButtonService': {
    CreatePanicButton: 'editor',
    GetPanicButton: 'viewer',
    ListPanicButtons: 'viewer',
    UpdatePanicButton: 'editor',
    DeletePanicButton: 'editor',
    TriggerPanicButton: 'responder',
  },
  'tocsin.console.v1.PolicyService': {
    CreatePolicy: 'editor',
    GetPolicy: 'viewer',
    ListPolicies: 'viewer',
    UpdatePolicy: 'editor',
    DeletePolicy: 'editor',
  },
  'tocsin.console.v1.ReadinessService': { GetReadiness: 'viewer', Preview: 'viewer' },
  'tocsin.console.v1.SessionService': {
    StartSignIn: 'nobody',
    ListSignInWays: 'nobody',
    StartOidcSignIn: 'nobody',
    SignIn: 'nobody',
    ConfirmAddress: 'nobody',
    GetSession: 'signed_in',
    ListSessions: 'signed_in',
    EndSession: 'signed_in',
    EndAllSessions: 'signed_in',
    CreateSignInLink: 'signed_in',
    CreatePhoneLink: 'signed_in',
    GetPhoneLink: 'nobody',
  },
  'tocsin.console.v1.TonightService': { GetTonight: 'viewer' },
  'tocsin.incident.v1.IncidentService': {
    ListIncidents: 'viewer',
    GetIncident: 'viewer',
    WatchIncidents: 'viewer',
    Acknowledge: 'responder',
    Close: 'responder',
    NextStep: 'responder',
    AddNote: 'responder',
    SetDisposition: 'responder',
    HandOver: 'responder',
    ListWindows: 'viewer',
    CallOff: 'responder',
    FindCall: 'viewer',
    GetMonthlyTotals: 'viewer',
    ListCalls: 'viewer',
  },
};

/**
 * Returns the role that a method requires if `role` is too low for it, else null. A method missing from the table
 * requires an owner.
 */
export function roleMissing(role: Role, service: string, method: string): Role | null {
  const least = LEAST[service]?.[method] ?? 'owner';
  if (least === 'operator' || least === 'signed_in' || least === 'nobody') return null;
  return ROLES.indexOf(role) > ROLES.indexOf(least) ? least : null;
}

/**
 * Tells whether a change of roles may go through: an account that has an owner keeps one, so that somebody can manage
 * its members.
 */
export function ownersChange(before: readonly Role[], after: readonly Role[]): 'fine' | 'last_owner_goes' {
  return before.includes('owner') && !after.includes('owner') ? 'last_owner_goes' : 'fine';
}
