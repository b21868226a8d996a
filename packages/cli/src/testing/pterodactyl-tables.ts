import { createCipheriv, createHmac, randomBytes } from 'node:crypto'

/** Rows of a Pterodactyl panel, by table, as in its documented layout. */
export type SourceTables = Readonly<Record<string, readonly Record<string, string | number | null>[]>>

export const appKey = randomBytes(32)
/** bcrypt of "a lantern at night", as PHP writes it. */
export const passwordHash = '$2y$04$d9ZEtklKrextoHbNbKhFeupdoAM0v7PRoEH3eVZB3K7rwVEVaXBCa'
export const otpSecret = 'JBSWY3DPEHPK3PXP'
export const serverUuid = '1a2b3c4d-0000-4000-8000-000000000001'
const otherUuid = '2a2b3c4d-0000-4000-8000-000000000002'

/** Encrypts as Laravel does. */
export function encrypt(text: string, key = appKey): string {
  const iv = randomBytes(16)
  const cipher = createCipheriv('aes-256-cbc', key, iv)
  const value = Buffer.concat([cipher.update(text), cipher.final()]).toString('base64')
  const mac = createHmac('sha256', key)
    .update(iv.toString('base64') + value)
    .digest('hex')
  return Buffer.from(JSON.stringify({ iv: iv.toString('base64'), value, mac, tag: '' })).toString('base64')
}

export function pterodactylTables(): SourceTables {
  const user = (id: number, username: string, more = {}) => ({
    id,
    username,
    email: `${username}@example.org`,
    password: passwordHash,
    root_admin: 0,
    use_totp: 0,
    totp_secret: null,
    ...more,
  })
  const variable = (id: number, env_variable: string, more = {}) => ({
    id,
    egg_id: 2,
    name: env_variable,
    description: '',
    env_variable,
    default_value: 'server.jar',
    user_viewable: 1,
    user_editable: 1,
    rules: 'required|string',
    ...more,
  })
  const egg = {
    author: 'a@example.org',
    description: '',
    docker_images: '{"Java":"example.org/java:21"}',
    features: null,
  }
  const server = {
    node_id: 1,
    status: null,
    cpu: 150,
    disk: 5000,
    egg_id: 2,
    image: 'example.org/java:17',
    threads: null,
  }
  return {
    users: [
      user(1, 'mara', { root_admin: 1 }),
      user(2, 'ove.b', { use_totp: 1, totp_secret: encrypt(`s:16:"${otpSecret}";`) }),
      user(3, 'lost', { use_totp: 1, totp_secret: encrypt('s:1:"x";', randomBytes(32)) }),
    ],
    nodes: [
      { id: 1, name: 'Here', fqdn: 'here.example.org', daemonListen: 8080, daemonSFTP: 2022 },
      { id: 2, name: 'There', fqdn: 'there.example.org', daemonListen: 8443, daemonSFTP: 2022 },
    ],
    eggs: [
      {
        ...egg,
        id: 1,
        name: 'Parent',
        startup: './x',
        config_stop: '^C',
        config_startup: '{"done":"ready"}',
        config_from: null,
      },
      {
        ...egg,
        id: 2,
        name: 'Paper',
        startup: 'java -jar {{JAR}}',
        config_stop: null,
        config_startup: null,
        config_from: 1,
      },
    ],
    egg_variables: [variable(1, 'JAR'), variable(2, 'BUILD', { default_value: 'latest', user_editable: 0 })],
    servers: [
      {
        ...server,
        id: 1,
        uuid: serverUuid,
        uuidShort: '1a2b3c4d',
        name: 'Survival',
        status: 'suspended',
        owner_id: 2,
        memory: 2048,
        allocation_id: 1,
        startup: 'java -Xmx{{SERVER_MEMORY}}M -jar {{JAR}}',
      },
      {
        ...server,
        id: 2,
        uuid: otherUuid,
        uuidShort: '2a2b3c4d',
        name: 'Far',
        owner_id: 1,
        memory: 0,
        node_id: 2,
        allocation_id: 3,
        startup: './x',
      },
      {
        ...server,
        id: 3,
        uuid: 'x',
        uuidShort: 'x',
        name: 'Odd',
        owner_id: 1,
        memory: 0,
        allocation_id: 4,
        startup: './x',
      },
    ],
    allocations: [
      { id: 1, node_id: 1, ip: '10.0.0.1', port: 25570, server_id: 1 },
      { id: 2, node_id: 1, ip: '10.0.0.1', port: 25580, server_id: 1 },
      { id: 3, node_id: 2, ip: '10.0.0.2', port: 7777, server_id: 2 },
    ],
    server_variables: [{ id: 1, server_id: 1, variable_id: 1, variable_value: 'paper.jar' }],
    subusers: [
      {
        id: 1,
        user_id: 3,
        server_id: 1,
        permissions: '["websocket.connect","control.start","control.restart","file.read","database.create"]',
      },
    ],
    schedules: [
      {
        id: 7,
        server_id: 1,
        name: 'Night',
        cron_minute: '0',
        cron_hour: '3',
        cron_day_of_month: '*',
        cron_month: '*',
        cron_day_of_week: '*',
        is_active: 1,
        only_when_online: 1,
      },
    ],
    tasks: [
      { id: 2, schedule_id: 7, sequence_id: 2, action: 'power', payload: 'restart', time_offset: 30 },
      { id: 1, schedule_id: 7, sequence_id: 1, action: 'command', payload: 'say restart', time_offset: 0 },
    ],
    databases: [{ id: 1, server_id: 1, database: 's1_shop', password: 'x' }],
    api_keys: [{ id: 1, user_id: 1, identifier: 'ptla_1', memo: 'backup script' }],
  }
}

/** The same panel as Pelican stores it. */
export function pelicanTables(): SourceTables {
  const { users = [], servers = [], eggs = [], nodes = [], ...others } = pterodactylTables()
  const isSecondUser = (id: unknown) => id === 2
  return {
    ...others,
    users: users.map(({ id, username, email, password }) => ({
      id: id ?? null,
      username: username ?? null,
      email: email ?? null,
      password: password ?? null,
      mfa_app_secret: isSecondUser(id) ? encrypt(otpSecret) : null,
    })),
    roles: [{ id: 5, name: 'Root Admin' }],
    model_has_roles: [{ role_id: 5, model_type: 'user', model_id: 1 }],
    nodes: nodes.map(({ daemonListen, daemonSFTP, ...node }) => ({
      ...node,
      daemon_listen: daemonListen ?? 0,
      daemon_sftp: daemonSFTP ?? 0,
    })),
    servers: servers.map(({ uuidShort, ...server }) => ({ ...server, uuid_short: uuidShort ?? '' })),
    eggs: eggs.map(({ startup, ...egg }) => ({ ...egg, startup_commands: JSON.stringify({ Default: startup }) })),
  }
}
