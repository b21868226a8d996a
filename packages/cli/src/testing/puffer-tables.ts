import type { ImportFixture } from './import-fixture.ts'

/** bcrypt of "a lantern at night", as Go writes it. */
export const passwordHash = '$2a$04$jE6czgDccU1ZgqheeMlwmuKD5ATLLrpjXftICoMb9btm50TUyxBuC'
export const otpSecret = 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP'
export const clientId = '3f0d7a52-5b6e-4c8f-9f0e-1f6b8a0c2d11'

export const definition = {
  type: 'minecraft-java',
  display: 'Vanilla',
  data: {
    memory: { type: 'integer', value: '1024', userEdit: true },
    port: { type: 'integer', value: '25570' },
    ip: { value: '0.0.0.0' },
  },
  install: [{ type: 'mojangdl', version: 'latest', target: 'server.jar' }],
  run: { command: 'java -Xmx${memory}M -jar server.jar nogui', stop: 'stop', autorecover: true },
  environment: { type: 'standard' },
  tasks: { t1: { name: 'Night', cronSchedule: '0 3 * * *', operations: [{ type: 'console', message: 'night' }] } },
}

/** Rows of PufferPanel 2.6, by table, as in its documented layout. */
export function pufferTables(): Readonly<Record<string, readonly Record<string, string | number | null>[]>> {
  const user = (id: number, username: string, more = {}) => ({
    id,
    username,
    email: `${username.toLowerCase()}@example.org`,
    password: passwordHash,
    otp_secret: null,
    otp_active: 0,
    ...more,
  })
  return {
    users: [
      user(1, 'mara'),
      user(2, 'Ove Berg', { email: 'ove@example.org', otp_secret: otpSecret, otp_active: 1 }),
      user(3, 'broken', { password: 'md5:abc' }),
      user(4, 'nomail', { email: 'nobody' }),
    ],
    permissions: [
      { id: 1, user_id: 1, client_id: null, server_identifier: null, admin: 1, view_server: 1 },
      { id: 2, user_id: 2, client_id: null, server_identifier: null, admin: 0, view_server: 1, view_nodes: 1 },
      {
        id: 3,
        user_id: 2,
        client_id: null,
        server_identifier: '1a2b3c4d',
        admin: 0,
        view_server: 1,
        start_server: 1,
        edit_server_data: 1,
        edit_server_admin: 1,
      },
    ],
    servers: [
      { identifier: '1a2b3c4d', name: 'World: one', node_id: 0, ip: '0.0.0.0', port: 25570, type: 'minecraft-java' },
      { identifier: 'aaaaaaaa', name: 'Gone', node_id: 0, ip: '0.0.0.0', port: 1, type: 'x' },
      { identifier: 'bbbbbbbb', name: 'Far', node_id: 2, ip: '0.0.0.0', port: 7777, type: 'x' },
    ],
    nodes: [
      {
        id: 2,
        name: 'East',
        public_host: 'east.example.org',
        private_host: 'east.example.org',
        public_port: 8080,
        private_port: 8080,
        sftp_port: 5657,
        secret: '0'.repeat(32),
      },
    ],
    templates: [
      { name: 'vanilla', raw_value: JSON.stringify({ ...definition, tasks: undefined }), readme: '# Vanilla' },
      { name: 'bad', raw_value: '{', readme: '' },
    ],
    clients: [
      {
        id: 1,
        client_id: clientId,
        client_secret: passwordHash,
        user_id: 1,
        server_id: '',
        scopes: '',
        name: 'bot',
        description: '',
      },
      {
        id: 2,
        client_id: 'x',
        client_secret: passwordHash,
        user_id: 1,
        server_id: '',
        scopes: 'servers.view',
        name: 'narrow',
      },
    ],
  }
}

/** Writes what PufferPanel has beside its database: configuration, definitions and files of servers. */
export async function writePufferFiles(
  fixture: ImportFixture,
  database: { dialect: string; url: string },
): Promise<void> {
  await fixture.write('puffer/config.json', {
    panel: { database },
    daemon: { data: { servers: fixture.path('puffer/servers') } },
  })
  await fixture.write('puffer/servers/1a2b3c4d.json', { ...definition, id: '1a2b3c4d' })
  await fixture.write('puffer/servers/1a2b3c4d/world/level.dat', 'a valley')
  await fixture.write('puffer/servers/cccccccc.json', definition)
}
