import { expect, test } from 'vitest'
import { endpoints } from '../endpoints.ts'

/** Endpoints that replace something whatever its version is, with the reason. */
const withoutVersion: Readonly<Record<string, string>> = {
  editBackup: 'changes only the given fields; users set the lock with a switch',
  confirmOtp: 'enables something with a code',
  appendUpload: 'Upload-Offset prevents concurrent changes',
  putSetting: 'sets one value; the form sends all changed ones with postSettings',
  putTheme: 'uploads an archive; the page says that it replaces the theme of this name',
  renameTheme: 'has the former name in its path, which another rename makes invalid',
  putUserSetting: 'sets one preference of the user',
  putNodeAvailability: 'sets the whole state; the page shows what others change every few seconds',
  putOrder: 'names the plan; shops repeat it until it succeeds',
  renamePasskey: 'sets the name of a passkey, which only its owner does',
  putAccountClient: 'only its owner changes a client',
  putServerClient: 'only its owner changes a client',
  editExtraPort: 'sets the note and the setting of one port',
  putExtraPortLimit: 'sets one number',
  putDnsName: 'sets one name, which is taken or free whatever it was before',
  putRole: 'only administrators change roles, and the dialog shows all of a role; the last change counts',
  suspendServer: 'sets the reason and the end; programs that bill customers repeat it',
}

const replacing = endpoints.filter(({ call }) => call.method === 'PUT' || call.method === 'PATCH')

test('an endpoint that replaces something accepts the version that was read', () => {
  const found = replacing.filter(({ call }) => call.headers?.['If-Match'] === undefined).map(({ name }) => name)

  expect(found.filter((name) => !(name in withoutVersion))).toEqual([])
  expect(Object.keys(withoutVersion).filter((name) => !found.includes(name))).toEqual([])
})
