import { type ActivityEntry, listActivity } from '@innkeeper/contract/activity/activity'
import { type Endpoint, getPanelUrl } from '@innkeeper/contract/api/endpoint'
import { type RequiredPermission, serverPermissionNames } from '@innkeeper/contract/api/permissions'
import * as targets from '@innkeeper/contract/backups/backup-targets'
import * as backups from '@innkeeper/contract/backups/backups'
import * as files from '@innkeeper/contract/servers/files'
import * as trash from '@innkeeper/contract/servers/trash'
import { describe, expect } from 'vitest'
import { type TestPanel, type TestUser, test } from '../testing/test-panel.ts'

interface Action {
  readonly call: Endpoint
  /** The permission that is needed, and with which no other one is. */
  readonly needs: RequiredPermission
  /** The action in the audit log; undefined for requests that only read. */
  readonly audit?: string
  readonly params?: object
  readonly body?: unknown
}

const backup = { backup: 'aaaaaaaaaaaaaaaa' }
const entry = { entry: 'bbbbbbbbbbbbbbbb' }
const path = { path: 'a.yml' }

/** Every endpoint of backups, the trash and versions of a server, written independently of its declaration. */
const actions: readonly Action[] = [
  { call: backups.listBackups, needs: 'viewServerBackups' },
  { call: backups.listBackupJobs, needs: 'viewServerBackups' },
  { call: backups.listBackupFiles, needs: 'viewServerBackups', params: backup },
  { call: backups.searchBackupFiles, needs: 'viewServerBackups', params: backup },
  { call: backups.getBackupRetention, needs: 'viewServerBackups' },
  { call: targets.getServerBackupTargets, needs: 'viewServerBackups' },
  { call: backups.createBackup, needs: 'createServerBackups', audit: 'server.backup.create', body: {} },
  { call: backups.verifyBackup, needs: 'createServerBackups', audit: 'server.backup.verify', params: backup },
  {
    call: backups.copyBackups,
    needs: 'createServerBackups',
    audit: 'server.backup.copy',
    params: { target: '0a0a0a0a' },
  },
  {
    call: backups.editBackup,
    needs: 'createServerBackups',
    audit: 'server.backup.edit',
    params: backup,
    body: { isLocked: true },
  },
  { call: backups.deleteBackup, needs: 'createServerBackups', audit: 'server.backup.delete', params: backup },
  { call: backups.dismissBackupFailure, needs: 'createServerBackups', audit: 'server.backup.dismiss' },
  { call: backups.putBackupRetention, needs: 'createServerBackups', audit: 'server.backup.retention', body: null },
  {
    call: backups.restoreBackup,
    needs: 'restoreServerBackups',
    audit: 'server.backup.restore',
    params: backup,
    body: {},
  },
  { call: backups.downloadBackup, needs: 'viewServerBackups', audit: 'server.backup.download', params: backup },
  {
    call: backups.createBackupDownload,
    needs: 'viewServerBackups',
    audit: 'server.backup.download',
    params: backup,
    body: {},
  },
  // The node requires the permission with which the job was started.
  {
    call: backups.cancelBackupJob,
    needs: 'viewServerBackups',
    audit: 'server.backup.cancel',
    params: { job: 'job' },
  },
  { call: targets.putServerBackupTargets, needs: 'admin', audit: 'server.backup.targets', body: null },
  { call: trash.getTrash, needs: 'viewServerFiles' },
  { call: trash.getTrashFile, needs: 'viewServerFiles', params: { ...entry, ...path } },
  { call: trash.getFileVersions, needs: 'viewServerFiles', params: path },
  {
    call: trash.restoreTrashEntry,
    needs: 'putServerFiles',
    audit: 'server.trash.restore',
    params: entry,
    body: {},
  },
  { call: trash.deleteTrashEntry, needs: 'putServerFiles', audit: 'server.trash.delete', params: entry },
  { call: trash.emptyTrash, needs: 'putServerFiles', audit: 'server.trash.empty' },
  // The editor restores a version by saving it.
  { call: files.putFile, needs: 'putServerFiles', audit: 'server.file.write', params: path, body: 'text' },
]

async function send(testPanel: TestPanel, { call, params = {}, body }: Action, id: string, as: TestUser) {
  const url = getPanelUrl(call, { params: { id, ...params }, query: {} } as Parameters<typeof getPanelUrl>[1])
  return await testPanel.request(call.method, url, body, as)
}

async function readEntries(testPanel: TestPanel, as: TestUser): Promise<readonly ActivityEntry[]> {
  return (await testPanel.send(listActivity, { query: {} }, as)).answer.activity
}

const getName = ({ call }: Action) => `${call.method} ${call.path}`

test('every endpoint of backups, the trash and versions is in the table', () => {
  const declared = [backups, targets, trash].flatMap((module) => Object.values(module)).filter(isOnServer)

  expect(actions.map(getName)).toEqual(
    expect.arrayContaining(declared.map((call) => getName({ call, needs: 'admin' }))),
  )
})

describe.for(actions.map((action) => [getName(action), action] as const))('%s', ([, action]) => {
  test('needs its permission, and is recorded when it is done and when it is refused', async ({ testPanel }) => {
    const { call, needs, audit } = action
    const id = await testPanel.server()
    testPanel.node.answer(call, (request, response) => {
      request.resume()
      response
        .writeHead(call.status ?? 200, { 'content-type': 'application/json' })
        .end(call.status === 204 ? '' : '{}')
    })
    const others = serverPermissionNames.filter((permission) => permission !== needs)
    const without = await testPanel.createUser({ on: { [id]: others } })
    const permitted =
      needs === 'admin' || needs === 'viewServer'
        ? await testPanel.admin()
        : await testPanel.createUser({ on: { [id]: [needs] } })

    const refused = await send(testPanel, action, id, without)
    const done = await send(testPanel, action, id, permitted)

    expect([refused.status, refused.refusal]).toEqual([403, 'ErrMissingScope'])
    expect(done.status).toBeLessThan(300)
    const admin = await testPanel.admin()
    const entries = (await readEntries(testPanel, admin)).filter((one) => one.server === id)
    const expected = [
      { action: audit, result: 'refused', code: 'ErrMissingScope', user: { id: without.id } },
      { action: audit, result: 'done', user: { id: permitted.id } },
    ]
    expect(entries.toReversed()).toMatchObject(audit === undefined ? [] : expected)
    expect(entries).toHaveLength(audit === undefined ? 0 : 2)
  })
})

function isOnServer(value: unknown): value is Endpoint {
  const { access } = (typeof value === 'object' && value !== null ? value : {}) as Partial<Endpoint>
  return typeof access === 'object' && 'onServer' in access
}
