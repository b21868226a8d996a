import { displayedText } from './one-line.ts'

/**
 * All expected errors with HTTP status and English message. `${name}` in a message is replaced by the value in the
 * metadata when it is displayed. The first block is from the product specification; the second from the API family; the
 * third is our own.
 */
export const refusals = {
  ErrGeneric: [500, 'Unknown error'],
  ErrUnknownError: [500, 'Unknown error'],
  ErrInvalidCredentials: [400, 'Invalid credentials'],
  ErrServiceNotAvailable: [502, 'Service not available'],
  ErrEmailNotConfigured: [400, 'Email not configured'],
  ErrMailWithoutLink: [409, 'The link of this mail was deleted when sending it failed. Send a new one'],
  ErrTokenInvalid: [400, 'Token is invalid'],
  ErrClientNotFound: [404, 'Client not found'],
  ErrUserNotFound: [404, 'User not found'],
  ErrLoginNotPermitted: [403, 'Login not permitted'],
  ErrInvalidTokenState: [400, 'Invalid token state'],
  ErrSettingNotConfigured: [400, '${setting} is not configured'],
  ErrNoTemplate: [404, "No template with name '${template}' was found"],
  ErrServiceInvalidProvider: [400, '${service} does not support ${provider}'],
  ErrFieldRequired: [400, '${field} is required'],
  ErrFieldMustBePrintable: [400, '${field} must be printable ascii characters'],
  ErrFieldHasURICharacters: [400, '${field} must not contain characters which cannot be used in URIs'],
  ErrFieldIsInvalidHost: [400, '${field} must be a valid IP or FQDN'],
  ErrFieldIsInvalidIP: [400, '${field} must be a valid IP'],
  ErrFieldTooLarge: [400, '${field} cannot be larger than ${max}'],
  ErrFieldTooSmall: [400, '${field} cannot be smaller than ${min}'],
  ErrFieldNotBetween: [400, '${field} must be between ${min} and ${max}'],
  ErrFieldEqual: [400, '${field1} cannot be equal to ${field2}'],
  ErrFieldNotEqual: [400, '${field1} is not equal to ${field2}'],
  ErrFieldNotEmail: [400, '${field} is not a valid email'],
  ErrFieldLength: [400, '${field} must be at least ${length} characters'],
  ErrNoPermission: [403, 'You do not have permission to perform this action'],
  ErrDatabaseNotAvailable: [503, 'Database is not available'],
  ErrNoNodes: [400, 'No nodes available'],
  ErrNoTemplates: [400, 'No templates available'],
  ErrPasswordRequirements: [400, 'Password must be at least 8 characters'],
  ErrUsernameRequirements: [400, 'Username must be at least 3 characters and only contain alphanumerics, _, or -'],
  ErrPasswordsNotIdentical: [400, 'Passwords are not the same'],
  ErrSessionTimedOut: [401, 'Your session timed out, please log in again'],
  ErrMissingScope: [403, 'You are not authorized to perform this action'],
  ErrInvalidJson: [400, 'The json data is invalid'],
  ErrSocketFailed: [502, 'The WebSocket connection encountered an error, some features might be slow or broken'],
  ErrInviteLinkInvalid: [400, 'Your invite link appears to be invalid'],
  ErrSavingInviteduser: [500, 'There was an error creating your account'],
  ErrDuplicateServerName: [409, 'A server with this name already exists'],
  ErrDuplicateNodeName: [409, 'A node with this name already exists'],
  ErrDirectoryUploadNotSupported: [400, 'Cannot upload folders'],
  ErrDockerNotSupported: [400, 'Docker is not supported on this node'],
  ErrImageUnavailable: [400, 'The image ${image} cannot be pulled: ${reason}'],
  ErrContainerFailed: [400, 'The container cannot be started: ${reason}'],
  ErrMissingBinary: [400, 'Missing binary: ${expected}'],
  ErrUnsupportedOS: [400, 'OS (${actual}) not supported. Supported OS: ${expected}'],
  ErrUnsupportedArch: [400, 'Architecture ${actual} not supported. Supported Architectures: ${expected}'],

  ErrServerNotFound: [404, 'Server not found'],
  ErrServerOffline: [409, 'The server is not running'],
  ErrConsoleLost: [
    409,
    'Commands no longer reach this server, because the process that connected it has ended. Restart it',
  ],
  ErrNoTerminal: [409, 'The server does not run in a terminal'],
  ErrNodeOutdated: [501, 'The node of this server runs an older version of Innkeeper that cannot do this'],
  ErrNoPlayerAction: [409, 'The template of this server has no command for this'],
  ErrServerDisabled: [409, 'The server is disabled'],
  ErrServerSuspended: [403, 'The server is suspended: ${reason}. Only an administrator can end the suspension'],
  ErrOrderState: [409, 'The order is ${state}'],
  ErrOrderBusy: [409, 'The order is being worked on. Try again'],
  ErrOrderTemplate: [
    409,
    'The server was made from another template than that of the plan. End the order and begin another one',
  ],
  ErrServerAlreadyExists: [409, 'A server with this ID already exists'],
  ErrIllegalFileAccess: [400, 'This path is outside the server folder'],
  ErrFileDenied: [403, 'The template of this server does not allow access to ${path}'],
  ErrFileNotFound: [404, 'File not found'],
  ErrTaskNotFound: [404, 'Task not found'],
  ErrTaskRunning: [409, 'This task is already running'],
  ErrTaskRefused: [403, 'The task was not run: ${reason}'],
  ErrFileExists: [409, 'A file or folder with this name already exists'],
  ErrInvalidUnixTime: [400, 'The time is not a valid unix time'],
  ErrMissingFactory: [400, "There is no step of type '${type}'"],
  ErrFactoryError: [400, "The step '${operatorName}' is not valid: ${err}"],
  ErrProcessRunning: [409, 'A process of this server is already running'],
  ErrNodeHasServers: [409, 'The node still has servers'],
  ErrClockSkew: [401, "The node's clock is off by ${skewMs} ms"],
  ErrNodeIsLocal: [400, 'The local node cannot be changed'],
  ErrNodeDraining: [409, 'The node ${node} is draining and takes no new servers'],
  ErrNodeInMaintenance: [409, 'The node ${node} is in maintenance and takes no new servers: ${reason}'],
  ErrNodeEvacuating: [409, 'The servers of this node are already being moved to other nodes'],
  ErrNoNodeFits: [409, 'There is no room: ${reason}'],
  ErrNoFreePort: [
    409,
    'The node has no free port in its ranges. An administrator can add a range on the page of the node',
  ],
  ErrNoDnsZone: [409, 'There is no zone for names of servers. An administrator can set one up under Settings'],
  ErrDnsNameTaken: [409, 'The name ${name} is taken'],
  ErrDnsFailed: [502, 'The name server did not do it: ${reason}'],
  ErrNoNodeAddress: [409, 'The public address of the node is not known, or has no IP address: ${host}'],
  ErrPlacementExpired: [409, 'This reservation has expired or was used. Request another one'],
  ErrNodeInvalid: [400, 'There is no such node'],
  ErrInvalidSession: [400, 'The session is not valid'],
  ErrSessionExpired: [400, 'The session has expired'],
  ErrNotImplemented: [501, 'Not implemented'],

  ErrNotFound: [404, 'Not found'],
  ErrNotAFile: [400, 'This is not a regular file'],
  ErrServerBusy: [409, 'The server is busy: ${state}'],
  ErrServerDamaged: [409, 'The definition of this server is damaged: ${reason}'],
  ErrStepFailed: [409, 'Step ${step} (${type}) failed: ${reason}'],
  ErrMissingDirectory: [400, 'The folder ${path} does not exist'],
  ErrUnknownEnvironment: [400, "There is no environment of type '${type}'"],
  ErrStaleVersion: [412, 'Someone else changed this. Reload to see the latest version'],
  ErrSetupCode: [400, 'The setup code is wrong'],
  ErrSetupDone: [409, 'An administrator exists already'],
  ErrTooManyRequests: [429, 'Too many attempts. Wait a moment and try again'],
  ErrBodyTooLarge: [413, 'The request is too large'],
  ErrFieldInvalid: [400, '${field} is not valid'],
  ErrFieldNotFuture: [400, '${field} must be in the future'],
  ErrFieldNotWhole: [400, '${field} must be a whole number'],
  ErrFieldNotNumber: [400, '${field} must be a number'],
  ErrFieldTooLong: [400, '${field} cannot have more than ${max} characters'],
  ErrFieldNotPath: [400, '${field} must be a path below the server folder'],
  ErrFieldPattern: [400, '${field} must match the pattern ${pattern}'],
  ErrFieldNotBoolean: [400, '${field} must be true or false'],
  ErrFieldNotOffered: [400, '${field} must be one of the options'],
  ErrVariableName: [400, 'Variable name cannot be empty or contain spaces'],
  ErrFieldNotOneLine: [400, '${field} must be one line'],
  ErrFieldCharacters: [400, '${field} must not contain ${characters}'],
  ErrFieldLikeOption: [400, '${field} must not begin with - or +'],
  ErrTemplateInUse: [409, 'The template is in use'],
  ErrDuplicateTemplateName: [409, 'A template with this ID already exists'],
  ErrOldTemplate: [400, 'It is in the 1.x format: upload the file to convert it'],
  ErrTwiceInIndex: [400, 'The index has another one with this ID'],
  ErrIndexUnavailable: [502, 'The index of templates cannot be read: ${reason}'],
  ErrDuplicateUsername: [409, 'This username is taken'],
  ErrDuplicateEmail: [409, 'This email address is taken'],
  ErrInvitePending: [409, 'Another user has invited this address. That invitation must be used or withdrawn first'],
  ErrEmailNotConfirmed: [
    409,
    "The email address of this account is not confirmed. An administrator can confirm it on the user's page",
  ],
  ErrOtpLocked: [
    403,
    'Too many wrong codes. Sign in with a recovery code, or ask an administrator to turn off two-factor authentication',
  ],
  ErrSecondFactorRequired: [403, 'Your account needs a second factor. Add a passkey or an authenticator app first'],
  ErrPasskeyMasterUrl: [
    400,
    'Passkeys need a host name. An administrator must set the master URL to an address with a name and HTTPS, such as https://panel.example.org',
  ],
  ErrPasskeyAddress: [
    400,
    'This page has the address ${address}, but passkeys belong to ${expected}. Open ${expected}, or ask an administrator to change the master URL',
  ],
  ErrPasskeyUnknown: [400, 'This passkey does not belong to an account here. It may have been removed'],
  ErrPasskeyKnown: [409, 'This passkey has already been added'],
  ErrPasskeyCanceled: [
    400,
    'No passkey was used. Either you canceled, it took too long, or this device has no passkey for this panel',
  ],
  ErrPasskeyFailed: [400, 'The browser cannot use a passkey here: ${reason}'],
  ErrPasskeyCounter: [
    403,
    'This passkey may have been copied: its counter is behind the last use. Sign in another way and remove it',
  ],
  ErrPasswordRequired: [403, 'Enter your password again'],
  ErrOidcUnavailable: [502, 'The provider ${provider} cannot be reached: ${reason}'],
  ErrOidcRefused: [400, 'The provider ${provider} refused the sign-in: ${reason}'],
  ErrOidcInvalid: [400, 'The answer of the provider ${provider} is not valid: ${reason}'],
  ErrOidcClock: [400, 'The clocks of the panel and of the provider ${provider} differ too much: ${reason}'],
  ErrOidcExpired: [400, 'This sign-in has expired or was already used. Begin again'],
  ErrOidcUnknown: [
    403,
    'No account is linked with your identity at ${provider}. Sign in another way, and link it on the Account page',
  ],
  ErrOidcUnverified: [
    403,
    'The provider ${provider} has not verified an email address of yours, so no account can be created',
  ],
  ErrOidcEmailTaken: [
    409,
    'An account with the address ${email} exists. Sign in to it another way, and link your identity at ${provider} on the Account page',
  ],
  ErrIdentityTaken: [409, 'This identity is linked with another account'],
  ErrLastIdentity: [409, 'It is your only way to sign in. Set a password or add a passkey first'],
  ErrLastAdministrator: [409, 'The last administrator cannot be removed'],
  ErrOwnAccount: [403, 'Change your own email and password on the Account page'],
  ErrOtpEnabled: [409, 'Two-factor authentication is already on'],
  ErrDisk: [507, 'The disk of the node reported an error: ${reason}'],
  ErrDiskLimit: [
    507,
    'This server has used ${used} of its ${max} MiB of disk space. Delete files and empty the trash, or ask an administrator for more',
  ],
  ErrFolderInItself: [400, 'A folder cannot be moved or copied into itself'],
  ErrUnsupportedArchive: [400, 'This archive format is not supported'],
  ErrArchiveDamaged: [400, 'The archive is damaged or encrypted: ${reason}'],
  ErrArchiveTooLarge: [400, 'The archive exceeds a limit: ${limit}'],
  ErrCancelled: [409, 'It was canceled'],
  ErrUploadNotFound: [404, 'This upload does not exist any more'],
  ErrUploadOffset: [409, 'The upload continues at offset ${offset}'],
  ErrUploadVersion: [412, 'The node supports version ${version} of the upload protocol'],
  ErrLinkExpired: [404, 'This link has expired or was already used'],
  ErrThemeInvalid: [400, 'This theme cannot be used (${reason}): ${detail}'],
  ErrThemeNotFound: [404, 'There is no such theme'],
  ErrDuplicateRoleName: [409, 'A role with this name already exists'],
  ErrDuplicateTheme: [409, 'A theme with this name already exists'],
  ErrSshKeyInvalid: [400, 'This is not a supported public SSH key'],
  ErrDuplicateSshKey: [409, 'This key is already in use'],
  ErrTooMany: [409, 'The limit of ${max} is reached'],
  ErrTaskDamaged: [409, 'The task is damaged: ${reason}'],
  ErrTaskUnanswered: [403, 'This task has no owner. Save it to become its owner'],
  ErrTaskRightMissing: [403, 'The owner of the task may not do step ${step} (${type}): ${scope} is missing'],
  ErrTaskRightsUnknown: [503, 'No panel responds, so the permissions of the task owner could not be checked'],
  ErrTaskSlowPattern: [409, 'A console trigger took too long and is disabled until the task is saved again'],
  ErrScheduleTooFrequent: [400, 'There must be at least ${seconds} seconds between two runs of a schedule'],
  ErrTaskTooFrequent: [409, 'The tasks of this server run too often: runs of this task were skipped'],
  ErrTaskSkipped: [409, 'The previous run had not ended: skipped ${times} times'],
  ErrTaskConditionFalse: [409, 'The condition of the task is not met'],
  ErrPlayersUnknown: [409, 'The game does not answer, so it is unknown who plays'],
  ErrTaskTooLong: [409, 'It took longer than ${hours} hours'],
  ErrTaskInterrupted: [502, 'The node was stopped in the meantime'],
  ErrPowerTooSlow: [504, '"${action}" did not finish within ${seconds} seconds. It continues'],
  ErrBackupFailed: [409, 'The backup job failed: ${reason}'],
  ErrBackupNotBooted: [409, 'A copy of the server from this backup did not start: ${reason}'],
  ErrBackupIncomplete: [409, 'The backup lacks files that could not be read (${count}): ${names}'],
  ErrBackupLocked: [409, 'This backup is locked'],
  ErrFilesIncomplete: [409, 'A restore failed and left files missing. Restore a backup to start the server again'],
  ErrBackupReadsBusy: [
    503,
    'The node is busy reading other backups. Try again when other downloads and clones have finished',
  ],
  ErrBackupNotFound: [404, 'This backup no longer exists'],
  ErrServerMoving: [409, 'The server is being moved to another node'],
  ErrServerMoved: [409, 'The server was moved a short time ago. Delete the copy on its former node first'],
  ErrMoveLeavesBackups: [
    409,
    'The backups of this server (${count}) stay on its node and are deleted with the old copy. Confirm this to move the server',
  ],
  ErrCopyDiffers: [502, 'The copy of the files on the other node is not the same as the original'],
  ErrMoveNotReady: [409, 'The server did not become ready on its new node'],
  ErrCommandFailed: [409, '${command} ended with exit code ${code}'],
  ErrCommandEnded: [409, '${command} was terminated by ${signal}'],
} as const satisfies Record<string, readonly [status: number, message: string]>

export type RefusalCode = keyof typeof refusals
export type RefusalMetadata = Readonly<Record<string, string | number | boolean>>

/** Longer values, such as the last line of a program, are truncated. */
const maxValueChars = 1_000

/** A refusal of another version of Innkeeper with an unknown code. */
export interface UnknownRefusal {
  readonly code: string
  /** English, with `${name}` for values of the metadata; may be empty. */
  readonly msg: string
  /** The HTTP status of the response, where it is known. */
  readonly status?: number | undefined
}

interface RefusalOptions extends ErrorOptions {
  readonly unknown?: UnknownRefusal | undefined
  /** By default that of the code. */
  readonly status?: number
}

/**
 * An expected error: thrown by services, converted to the error envelope at the HTTP edge, translated in the browser.
 */
export class Refusal extends Error {
  override readonly name = 'Refusal'
  readonly code: RefusalCode
  /** For display: without control characters. */
  readonly metadata: RefusalMetadata
  /** Present when the code is `ErrUnknownError` because this version does not know the actual code. */
  readonly unknown: UnknownRefusal | undefined
  /** The HTTP status of the error response. */
  readonly status: number

  constructor(code: RefusalCode, metadata: RefusalMetadata = {}, { unknown, status, ...options }: RefusalOptions = {}) {
    const values = displayedValues(metadata)
    super(interpolate(unknown?.msg || refusals[code][1], values), options)
    this.code = code
    this.metadata = values
    this.unknown = unknown
    this.status = status ?? unknown?.status ?? refusals[code][0]
  }
}

/** Values can be texts of programs, games and other machines. */
function displayedValues(metadata: RefusalMetadata): RefusalMetadata {
  const values = Object.entries(metadata).map(([name, value]) => [
    name,
    typeof value === 'string' ? displayedText(value, maxValueChars) : value,
  ])
  return Object.fromEntries(values)
}

export function isRefusalCode(code: string): code is RefusalCode {
  return Object.hasOwn(refusals, code)
}

/** Replaces `${name}` by values; unknown names stay. */
export function interpolate(message: string, values: RefusalMetadata): string {
  return message.replace(/\$\{(\w+)\}/g, (whole, name: string) =>
    Object.hasOwn(values, name) ? String(values[name]) : whole,
  )
}
