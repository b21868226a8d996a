import { type FullRow, meaningless, shown } from './every-column.ts'
import { encrypt, otpSecret, passwordHash, serverUuid } from './pterodactyl-tables.ts'

const id = (number: number) => meaningless(number, 'identifier')
const time = meaningless('2024-05-06 07:08:09', 'time of the row')
const times = { created_at: time, updated_at: time }
const token = meaningless('t0ken', 'secret of the other panel')

const user = {
  ...times,
  id: id(1),
  external_id: 'crm-0451',
  uuid: meaningless('0a0a0a0a-0000-4000-8000-000000000001', 'identifier'),
  username: 'matilda',
  email: 'matilda@example.org',
  password: passwordHash,
  remember_token: token,
  language: shown('nl', 'nl_NL'),
}

const variable = {
  ...times,
  id: id(1),
  egg_id: id(2),
  name: 'World name',
  description: 'What the world is called',
  env_variable: 'WORLD_NAME',
  default_value: 'valley of default',
  user_viewable: shown(1, '"userEdit":true'),
  user_editable: shown(1, '"userEdit":true'),
}

const egg = {
  ...times,
  id: id(2),
  uuid: meaningless('0e0e0e0e-0000-4000-8000-000000000001', 'identifier'),
  author: meaningless('author@example.org', 'who wrote the egg'),
  name: 'Lantern Game',
  description: shown('About lanterns', 'About lanterns'),
  features: meaningless('["steam_disk_space"]', 'converted with the egg: see its tests'),
  docker_images: shown('{"Lantern":"example.org/lantern:1"}', 'example.org/lantern:1'),
  file_denylist: meaningless('["lantern-secret.ini"]', 'converted with the egg: see its tests'),
  update_url: 'https://example.org/lantern.json',
  config_files: meaningless(
    '{"lantern.cfg":{"parser":"file","find":{"port=":"port={{server.build.default.port}}"}}}',
    'converted with the egg: see its tests',
  ),
  config_startup: shown('{"done":"lanterns are lit"}', 'lanterns are lit'),
  config_logs: meaningless('{}', 'unused by Wings'),
  config_stop: shown('douse', '"stop":"douse"'),
  config_from: meaningless(null, 'no parent'),
  script_container: meaningless('example.org/lantern-installer:2', 'converted with the egg: see its tests'),
  copy_script_from: meaningless(null, 'no parent'),
  script_entry: meaningless('ash', 'converted with the egg: see its tests'),
  script_is_privileged: meaningless(1, 'unused by Wings'),
  script_install: shown('echo lantern-install', 'echo lantern-install'),
  force_outgoing_ip: shown(1, 'fixed outgoing address'),
}

const server = {
  ...times,
  id: id(1),
  external_id: 'order-7788',
  uuid: meaningless(serverUuid, 'the folder'),
  node_id: id(1),
  name: 'Lantern One',
  description: 'The first lantern server',
  status: 'install_failed',
  skip_scripts: shown(1, 'without its install script'),
  owner_id: id(1),
  memory: 3072,
  swap: shown(512, 'swap'),
  disk: 6144,
  io: shown(600, '600'),
  cpu: 175,
  threads: shown('0-1,3', '0-1,3'),
  allocation_id: id(1),
  egg_id: id(2),
  startup: shown('./lantern --chosen', './lantern --chosen'),
  image: 'example.org/lantern:9',
  allocation_limit: shown(4, 'limit of allocations (4)'),
  database_limit: shown(3, 'limit of databases (3)'),
  backup_limit: shown(2, 'limit of backups (2)'),
  installed_at: time,
}

const node = {
  ...times,
  id: id(1),
  uuid: meaningless('0c0c0c0c-0000-4000-8000-000000000001', 'identifier'),
  public: shown(0, 'not for automatic placement'),
  name: meaningless('Here', 'this machine, which is named with --node'),
  description: 'In the cellar',
  fqdn: meaningless('here.example.org', 'this machine'),
  scheme: meaningless('https', 'a node has its own certificate'),
  behind_proxy: meaningless(1, 'a node has its own certificate'),
  maintenance_mode: shown(1, 'maintenance mode'),
  memory: 65_536,
  memory_overallocate: shown(15, 'overallocation of memory (15)'),
  disk: 400_000,
  disk_overallocate: shown(25, 'overallocation of disk space (25)'),
  upload_size: shown(777, '777'),
  daemon_token_id: token,
  daemon_token: token,
}

const allocation = (number: number, port: number, more: FullRow): FullRow => ({
  ...times,
  id: id(number),
  node_id: id(1),
  ip: '10.20.30.40',
  port,
  ...more,
})

const common: Readonly<Record<string, readonly FullRow[]>> = {
  allocations: [
    allocation(1, 25_570, { server_id: id(1), ip_alias: 'play.example.org', notes: 'main door' }),
    allocation(2, 25_571, { server_id: meaningless(null, 'free'), ip_alias: 'free.example.org', notes: 'side door' }),
    allocation(3, 25_572, { server_id: meaningless(null, 'free'), ip_alias: 'free.example.org', notes: 'side door' }),
  ],
  server_variables: [
    { ...times, id: id(1), server_id: id(1), variable_id: id(1), variable_value: 'valley of Matilda' },
  ],
  subusers: [
    {
      ...times,
      id: id(1),
      user_id: id(2),
      server_id: id(1),
      permissions: shown('["control.console","allocation.delete"]', 'allocation.delete'),
    },
  ],
  schedules: [
    {
      ...times,
      id: id(7),
      server_id: id(1),
      name: 'Nightfall',
      cron_minute: shown('13', '13 14 15 11 SUN'),
      cron_hour: shown('14', '13 14 15 11 SUN'),
      cron_day_of_month: shown('15', '13 14 15 11 SUN'),
      cron_month: shown('11', '13 14 15 11 SUN'),
      cron_day_of_week: shown('SUN', '13 14 15 11 SUN'),
      is_active: shown(1, '13 14 15 11 SUN'),
      is_processing: meaningless(0, 'state'),
      only_when_online: shown(1, 'schedule Nightfall: runs while the server is offline, too'),
      last_run_at: time,
      next_run_at: time,
    },
  ],
  tasks: [
    {
      ...times,
      id: id(1),
      schedule_id: id(7),
      sequence_id: meaningless(1, 'the order'),
      action: shown('command', '"stdin"'),
      payload: 'say the lanterns go out',
      time_offset: shown(35, '"35s"'),
      is_queued: meaningless(0, 'state'),
      continue_on_failure: shown(1, '"continueOnError": true'),
    },
  ],
  databases: [{ id: id(1), server_id: id(1), database: 's1_lantern', password: token }],
  database_hosts: [{ id: id(1), name: 'db of lanterns', password: token }],
  mounts: [{ id: id(1), name: 'maps of lanterns', source: meaningless('/srv/maps', 'part of the mount') }],
  user_ssh_keys: [
    { ...times, id: id(1), user_id: id(1), name: 'laptop of Matilda', deleted_at: meaningless(null, 'state') },
  ],
  api_keys: [{ ...times, id: id(1), user_id: id(1), memo: 'billing robot', token }],
  settings: [
    {
      id: id(1),
      key: shown('settings::app:name', 'setting app:name'),
      value: meaningless('Lanterns', 'may be secret'),
    },
    {
      id: id(2),
      key: shown('settings::mail:mailers:smtp:host', 'setting mail:mailers:smtp:host'),
      value: meaningless('mail.example.org', 'may be secret'),
    },
  ],
  activity_logs: [{ id: id(1), event: shown('server:power', '1 entries of the activity log') }],
  sessions: [{ id: token, user_id: id(1) }],
  migrations: [{ id: id(1), migration: meaningless('2016_01_23_195641_add_allocations_table', 'state') }],
}

/** A Pterodactyl panel with a value in each column. */
export const pterodactylRows: Readonly<Record<string, readonly FullRow[]>> = {
  ...common,
  users: [
    {
      ...user,
      name_first: 'Matildarix',
      name_last: 'Lanternsson',
      root_admin: shown(1, 'servers.admin'),
      use_totp: shown(1, otpSecret),
      totp_secret: shown(encrypt(`s:16:"${otpSecret}";`), otpSecret),
      totp_authenticated_at: time,
      gravatar: meaningless(1, 'picture of another service'),
    },
    { ...user, id: id(2), username: 'second', email: 'second@example.org', external_id: meaningless(null, 'none') },
  ],
  servers: [{ ...server, uuidShort: '1a2b3c4d', nest_id: id(1), oom_disabled: shown(1, 'OOM killer off') }],
  nodes: [
    {
      ...node,
      location_id: shown(1, 'location (#1)'),
      daemonListen: meaningless(8080, 'this machine'),
      daemonSFTP: meaningless(2022, 'this machine'),
      daemonBase: meaningless('/srv/daemon', 'Wings has its own setting'),
    },
  ],
  locations: [{ ...times, id: id(1), short: 'cellar-1', long: meaningless('The cellar', 'part of the location') }],
  nests: [{ ...times, id: id(1), name: 'Nest of lanterns' }],
  eggs: [{ ...egg, nest_id: id(1), startup: shown('./lantern', './lantern') }],
  egg_variables: [{ ...variable, rules: shown('required|string', '"required":true') }],
  backups: [{ ...times, id: id(1), name: 'Backup of lanterns', deleted_at: meaningless(null, 'state') }],
  recovery_tokens: [{ id: id(1), user_id: id(1), token: shown('hash', '1 recovery codes of users') }],
  mount_server: [{ server_id: shown(1, 'mount of a server #1 for server #1'), mount_id: id(1) }],
  mount_node: [{ node_id: shown(1, 'mount of a node #1 for node #1'), mount_id: id(1) }],
  egg_mount: [{ egg_id: shown(1, 'mount of an egg #1 for egg #1'), mount_id: id(1) }],
  audit_logs: [{ id: id(1), action: shown('server:settings.rename', '1 entries of the audit log') }],
}

const [mainAllocation, ...freeAllocations] = common.allocations ?? []

/** A Pelican panel with a value in each column. */
export const pelicanRows: Readonly<Record<string, readonly FullRow[]>> = {
  ...common,
  allocations: [
    { ...mainAllocation, is_locked: shown(1, 'lock'), show_port: shown(0, 'hidden port') },
    ...freeAllocations,
  ],
  users: [
    {
      ...user,
      timezone: 'Europe/Amsterdam',
      oauth: shown('{"discord":"42"}', 'sign-in by other services (discord)'),
      customization: shown('{"console_font":"Lanternmono"}', 'appearance'),
      mfa_app_secret: shown(encrypt(otpSecret), otpSecret),
      mfa_app_recovery_codes: shown(encrypt('[]'), 'recovery codes'),
      mfa_email_enabled: shown(1, 'codes by email'),
      is_managed_externally: shown(1, 'management by another system'),
    },
    { ...user, id: id(2), username: 'second', email: 'second@example.org', external_id: meaningless(null, 'none') },
  ],
  roles: [
    { ...times, id: id(5), name: shown('Root Admin', 'servers.admin'), guard_name: meaningless('web', 'state') },
    { ...times, id: id(6), name: 'Lamplighter', guard_name: meaningless('web', 'state') },
  ],
  model_has_roles: [
    { role_id: id(5), model_type: meaningless('user', 'kind'), model_id: shown(1, 'servers.admin') },
    { role_id: id(6), model_type: meaningless('user', 'kind'), model_id: shown(2, 'role Lamplighter of user second') },
  ],
  role_has_permissions: [{ permission_id: id(1), role_id: id(6) }],
  model_has_permissions: [
    {
      permission_id: id(1),
      model_type: meaningless('user', 'kind'),
      model_id: shown(2, '1 permissions of single users'),
    },
  ],
  servers: [
    {
      ...server,
      uuid_short: '1a2b3c4d',
      oom_killer: shown(0, 'OOM killer off'),
      docker_labels: shown('{"traefik.lantern":"yes"}', 'traefik.lantern'),
    },
  ],
  nodes: [
    {
      ...node,
      tags: shown('["cellar"]', 'tags'),
      cpu: shown(800, 'processor time for servers in percent (800)'),
      cpu_overallocate: shown(35, 'overallocation of processor time (35)'),
      daemon_listen: meaningless(8080, 'this machine'),
      daemon_connect: meaningless(443, 'this machine'),
      daemon_sftp: meaningless(2022, 'this machine'),
      daemon_sftp_alias: 'sftp.example.org',
      daemon_base: meaningless('/srv/daemon', 'Wings has its own setting'),
    },
  ],
  eggs: [
    {
      ...egg,
      tags: shown('["lamps"]', 'lamps'),
      startup_commands: shown('{"Default":"./lantern","Dim":"./lantern --dim"}', 'further start commands (Dim)'),
    },
  ],
  egg_variables: [
    { ...variable, sort: meaningless(1, 'the order'), rules: shown('["required","string"]', '"required":true') },
  ],
  backups: [
    { ...times, id: id(1), name: 'Backup of lanterns', backup_host_id: id(1), is_scheduled: meaningless(1, 'state') },
  ],
  backup_hosts: [{ ...times, id: id(1), name: 'S3 of lanterns', configuration: token }],
  passkeys: [{ ...times, id: id(1), user_id: id(1), name: 'Passkey of Matilda' }],
  mountables: [{ mount_id: id(1), mountable_type: shown('server', '#1 for server #1'), mountable_id: id(1) }],
  webhook_configurations: [{ ...times, id: id(1), name: 'Hook of lanterns' }],
  server_user_settings: [{ ...times, id: id(1), settings: shown('{}', '1 settings of users for a server') }],
}
