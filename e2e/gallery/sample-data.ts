import { Api, firstAdmin } from '../testing/api.ts'
import { longAddress } from '../testing/layout.ts'
import { linkIn, type Mailbox } from '../testing/mailbox.ts'
import type { TestInstallation } from '../testing/test-installation.ts'

export type Role = 'admin' | 'viewer' | 'nobody' | 'guest'

/** References to the created data, for the screens. */
export interface SampleData {
  /** IDs of servers. */
  readonly running: string
  readonly crashed: string
  readonly idle: string
  readonly installing: string
  /** Runs a full-screen program on a terminal. */
  readonly fullScreen: string
  /** Is online and does not respond. */
  readonly hung: string
  /** ID of a node that never connected. */
  readonly node: number
  readonly user: number
  /** Path of the link in an invitation. */
  readonly invitePath: string
  readonly sessions: Readonly<Record<Exclude<Role, 'guest'>, Api>>
}

/** A long name, early in the list. */
const longName = 'A winter survival of the northern valley'

const colors = 'printf \'\\033[32mDone (2.1s)!\\033[0m For help, type "help"\\n\''
const output = `${colors}; i=0; while [ $i -lt 40 ]; do i=$((i+1)); printf '\\033[36m[12:0%d:00 INFO]\\033[0m Player%d joined \\033[33mthe game\\033[0m\\n' $((i%10)) $i; done; printf '\\033[31m[ERROR] Could not load chunk\\033[0m\\n'; exec sleep 3600`
const templates = ['openttd', 'teeworlds', 'luanti', 'bzflag', 'mumble', 'minecraft-paper', 'web-static']
const userPassword = 'seven lamps in a row'

/** Creates sample data in a new installation through the API. */
export async function createSampleData(installation: TestInstallation, mailbox: Mailbox): Promise<SampleData> {
  const admin = await Api.setUp(installation.url, installation.setupCode)
  const servers = await createServers(admin)
  const user = await createUsers(admin, servers.running)
  await createFiles(admin, servers.running)
  await createTasks(admin, servers.running)
  await createAccountData(admin, servers.running)
  const { id: node } = (await admin.post('/api/nodes', {
    name: 'Frankfurt 2',
    publicHost: longAddress,
    privateHost: '127.0.0.1',
    privatePort: 9,
  })) as { id: number }
  const invitePath = await invite(admin, installation, mailbox)
  const as = (name: string) => Api.signIn(installation.url, { email: `${name}@example.net`, password: userPassword })
  const sessions = { admin, viewer: await as('viewer'), nobody: await as('nobody') }
  return { ...servers, node, user, invitePath, sessions }
}

async function createServers(admin: Api) {
  for (const name of templates) {
    const template = (await admin.get(`/api/templates/${name}`)) as object
    await admin.post('/api/servers', { ...template, name: `${name} EU` })
  }
  const running = await createCommand(admin, longName, output, { address: longAddress })
  const crashed = await createCommand(admin, 'Crashing lobby', "printf 'cannot bind port\\n'; exit 3")
  const idle = await createCommand(admin, 'Never started', 'sleep 60')
  const installing = await createCommand(admin, 'Installing', 'sleep 60', {
    install: [{ type: 'command', commands: ['sleep 3600'] }],
  })
  await createCommand(admin, 'Quiet', 'sleep 3600')
  const fullScreen = await createCommand(admin, 'Process monitor', 'exec top', { environment: 'tty' })
  const hung = await createCommand(admin, 'Hung lobby', "printf 'Saving the world\\n'; exec sleep 3600", {
    liveness: { checks: [{ type: 'output', within: 5 }], interval: 5, failures: 1 },
  })
  await admin.put(`/api/servers/${running}/tags`, { tags: ['a-tag-of-24-characters-x', 'EU', 'event', 'modded'] })
  for (const id of [crashed, idle]) await admin.put(`/api/servers/${id}/tags`, { tags: ['EU', 'lobby'] })
  await admin.post(`/proxy/daemon/server/${running}/start?wait=true`)
  await admin.post(`/proxy/daemon/server/${crashed}/start`)
  await admin.post(`/proxy/daemon/server/${installing}/install`)
  for (const id of [fullScreen, hung]) await admin.post(`/proxy/daemon/server/${id}/start?wait=true`)
  return { running, crashed, idle, installing, fullScreen, hung }
}

async function createCommand(
  admin: Api,
  name: string,
  script: string,
  {
    address = '203.0.113.14',
    install = [],
    environment = 'standard',
    liveness,
  }: { address?: string; install?: readonly unknown[]; environment?: 'standard' | 'tty'; liveness?: object } = {},
): Promise<string> {
  const { id } = (await admin.post('/api/servers', {
    name,
    type: 'generic',
    environment: { type: environment },
    install,
    ...(liveness && { liveness }),
    // In a variable, because a command line would split at the quotes of the script.
    run: { command: 'sh -c ${script}', stopCode: 15 },
    data: {
      script: { value: script, display: 'Script', userEdit: true },
      ip: { value: address, display: 'Address', userEdit: true },
      port: { value: '25565', type: 'integer', display: 'Port', userEdit: true },
      pvp: { value: 'true', type: 'boolean', display: 'Players may fight', userEdit: true },
    },
  })) as { id: string }
  return id
}

async function createUsers(admin: Api, server: string): Promise<number> {
  const permissions: Readonly<Record<string, Readonly<Record<string, boolean>>>> = {
    nobody: {},
    viewer: {},
    'operator-of-all-the-northern-servers': { viewServers: true, createServers: true },
    templates: { viewTemplates: true, editTemplates: true },
    nodes: { viewNodes: true, editNodes: true, deployNodes: true },
    administrator: { admin: true },
  }
  const ids: Record<string, number> = {}
  for (const [username, scopes] of Object.entries(permissions)) {
    const email = `${username}@example.net`
    const { id } = (await admin.post('/api/users', { username, email, password: userPassword })) as { id: number }
    ids[username] = id
    if (Object.keys(scopes).length > 0) await admin.put(`/api/users/${id}/perms`, scopes)
    await admin.post(`/api/users/${id}/email/confirm`)
  }
  const viewing = {
    viewServers: true,
    viewServerConsole: true,
    viewServerStats: true,
    viewServerFiles: true,
    viewServerBackups: true,
  }
  await admin.put(`/api/servers/${server}/user/viewer@example.net`, viewing)
  return ids.viewer ?? 0
}

async function createFiles(admin: Api, server: string): Promise<void> {
  const onePixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
  const files: Readonly<Record<string, string | Uint8Array>> = {
    'server.properties': 'motd=A long winter\nmax-players=20\nview-distance=10\n',
    'start.sh': '#!/bin/sh\nexec ./server --port "$PORT"\n',
    'icon.png': Buffer.from(onePixel, 'base64'),
    'a-file-with-a-very-long-name-that-does-not-fit-into-any-column-of-the-list-2026-11-24.log': 'started\n',
    'config/whitelist.json': '[]\n',
    'world/level.dat': 'level',
  }
  const base = `/proxy/daemon/server/${server}`
  for (const folder of ['config', 'world']) await admin.put(`${base}/file/${folder}?folder=true`)
  for (const [path, bytes] of Object.entries(files)) await admin.put(`${base}/file/${path}`, bytes)
  await admin.post(`${base}/archive/backup.zip`, ['world', 'config'])
}

async function createTasks(admin: Api, server: string): Promise<void> {
  const path = `/proxy/daemon/server/${server}/tasks`
  const say = { type: 'console', text: 'Restart in five minutes' }
  await admin.post(path, { name: 'Nightly restart', cronSchedule: '0 4 * * *', operations: [say] })
  await admin.post(path, { name: 'Announce by hand', operations: [say] })
}

async function createAccountData(admin: Api, server: string): Promise<void> {
  const key = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl mara@laptop'
  await admin.post('/api/self/oauth2', { name: 'Backup script', description: 'Copies worlds every night' })
  await admin.post(`/api/servers/${server}/oauth2`, { name: 'Discord bot', description: 'Starts and stops' })
  await admin.post('/api/self/sshkeys', { key, password: firstAdmin.password })
}

async function invite(admin: Api, installation: TestInstallation, mailbox: Mailbox): Promise<string> {
  await admin.post('/api/settings', {
    'panel.settings.masterUrl': installation.url,
    'panel.registrationEnabled': true,
    'panel.email.provider': 'smtp',
    'panel.email.from': 'inn@example.net',
    'panel.email.host': mailbox.host,
  })
  await admin.post('/api/invites', { email: 'wren@example.net' })
  const link = new URL(linkIn(await mailbox.mailTo('wren@example.net'), '/auth/invite'))
  return link.pathname + link.search + link.hash
}
