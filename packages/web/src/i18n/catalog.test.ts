import { type RefusalCode, refusals } from '@innkeeper/contract/errors/refusals'
import { serverStates } from '@innkeeper/contract/servers/status'
import { expect, test } from 'vitest'
import { defaultLocale, languageName, loadCatalog, preferredLocale, pseudoLocale } from './locale.ts'

const sources = import.meta.glob<string>(['../**/*.{ts,tsx}', '!../**/*.test.*', '!../**/testing/**'], {
  query: '?raw',
  import: 'default',
  eager: true,
})

test('every text that the code names is in the catalog', async () => {
  const catalog = await loadCatalog(defaultLocale)
  const has = (key: string) => key in catalog || `${key}_other` in catalog
  const files = new Set(Object.keys(catalog).map((key) => key.split('.')[0]))

  const missing = Object.entries(sources).flatMap(([path, source]) =>
    // States are in small letters, and so are scopes, actions and names of files, which are no keys.
    [...source.matchAll(/'([a-z][a-z-]*)\.([A-Z]\w*)'/g)]
      .filter(([, file = '']) => files.has(file))
      .map(([, file, key]) => `${file}.${key}`)
      .filter((key) => !has(key))
      .map((key) => `${key} in ${path}`),
  )

  expect(missing).toEqual([])
})

test('every refusal and every state has its words', async () => {
  const catalog = await loadCatalog(defaultLocale)

  expect(Object.keys(refusals).filter((code) => !(`errors.${code}` in catalog))).toEqual([])
  expect(serverStates.filter((state) => !(`status.${state}` in catalog))).toEqual([])
})

/** The error catalogue of the product specification, section 8, word for word. */
const specifiedErrors: Readonly<Record<string, string>> = {
  ErrGeneric: 'Unknown error',
  ErrUnknownError: 'Unknown error',
  ErrInvalidCredentials: 'Invalid credentials',
  ErrServiceNotAvailable: 'Service not available',
  ErrEmailNotConfigured: 'Email not configured',
  ErrTokenInvalid: 'Token is invalid',
  ErrClientNotFound: 'Client not found',
  ErrUserNotFound: 'User not found',
  ErrLoginNotPermitted: 'Login not permitted',
  ErrInvalidTokenState: 'Invalid token state',
  ErrSettingNotConfigured: '{setting} is not configured',
  ErrNoTemplate: "No template with name '{template}' was found",
  ErrServiceInvalidProvider: '{service} does not support {provider}',
  ErrFieldRequired: '{field} is required',
  ErrFieldMustBePrintable: '{field} must be printable ascii characters',
  ErrFieldHasURICharacters: '{field} must not contain characters which cannot be used in URIs',
  ErrFieldIsInvalidHost: '{field} must be a valid IP or FQDN',
  ErrFieldIsInvalidIP: '{field} must be a valid IP',
  ErrFieldTooLarge: '{field} cannot be larger than {max}',
  ErrFieldTooSmall: '{field} cannot be smaller than {min}',
  ErrFieldNotBetween: '{field} must be between {min} and {max}',
  ErrFieldEqual: '{field1} cannot be equal to {field2}',
  ErrFieldNotEqual: '{field1} is not equal to {field2}',
  ErrFieldNotEmail: '{field} is not a valid email',
  ErrFieldLength: '{field} must be at least {length} characters',
  ErrNoPermission: 'You do not have permission to perform this action',
  ErrDatabaseNotAvailable: 'Database is not available',
  ErrNoNodes: 'No nodes available',
  ErrNoTemplates: 'No templates available',
  ErrPasswordRequirements: 'Password must be at least 8 characters',
  ErrUsernameRequirements: 'Username must be at least 3 characters and only contain alphanumerics, _, or -',
  ErrPasswordsNotIdentical: 'Passwords are not the same',
  ErrSessionTimedOut: 'Your session timed out, please log in again',
  ErrMissingScope: 'You are not authorized to perform this action',
  ErrInvalidJson: 'The json data is invalid',
  ErrSocketFailed: 'The WebSocket connection encountered an error, some features might be slow or broken',
  ErrInviteLinkInvalid: 'Your invite link appears to be invalid',
  ErrSavingInviteduser: 'There was an error creating your account',
  ErrDuplicateServerName: 'A server with this name already exists',
  ErrDuplicateNodeName: 'A node with this name already exists',
  ErrDirectoryUploadNotSupported: 'Cannot upload folders',
  ErrDockerNotSupported: 'Docker is not supported on this node',
  ErrMissingBinary: 'Missing binary: {expected}',
  ErrUnsupportedOS: 'OS ({actual}) not supported. Supported OS: {expected}',
  ErrUnsupportedArch: 'Architecture {actual} not supported. Supported Architectures: {expected}',
}

/** The hints of section 8 for the status of an unknown error. */
const specifiedHints: Readonly<Record<string, string>> = {
  Status401: '401 Not logged in',
  Status403: '403 Permission denied',
  Status404: '404 Endpoint not found',
  Status500: '500 Server error',
  Status502: '502 Bad gateway',
}

test('the app and the API show errors in the words of the product specification', async () => {
  const catalog = await loadCatalog(defaultLocale)
  const specified = { ...specifiedErrors, ...specifiedHints }
  const codes = Object.keys(specifiedErrors)
  const api = Object.fromEntries(codes.map((code) => [code, refusals[code as RefusalCode][1].replaceAll('${', '{')]))

  expect(Object.fromEntries(Object.keys(specified).map((key) => [key, catalog[`errors.${key}`]]))).toEqual(specified)
  expect(api).toEqual(specifiedErrors)
})

test('the stored locale wins over the languages of the browser, and English is left', () => {
  const offered = ['de_DE', 'en_US', 'zh_CN', 'zh_TW']

  expect(preferredLocale('zh_TW', ['de'], offered)).toBe('zh_TW')
  expect(preferredLocale(null, ['de-AT', 'en'], offered)).toBe('de_DE')
  expect(preferredLocale(null, ['zh-TW'], offered)).toBe('zh_TW')
  expect(preferredLocale('xx_XX', ['fi'], offered)).toBe('en_US')
  expect(preferredLocale(pseudoLocale, ['de'], offered)).toBe(pseudoLocale)
})

test('languages are listed by their own names, with the region or script where several have the same', () => {
  expect(['de_DE', 'zh_CN', 'zh_TW', 'zh_HK', 'es_419', 'es_ES', 'pt_BR', 'pt_PT', 'sr_SP'].map(languageName)).toEqual([
    'Deutsch',
    '简体中文',
    '繁體中文',
    '中文（香港）',
    'Español latinoamericano',
    'Español de España',
    'Português (Brasil)',
    'Português europeu',
    'Српски',
  ])
})
