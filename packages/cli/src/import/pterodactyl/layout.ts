import { parseJsonOrUndefined } from '@innkeeper/contract/text/parse-json'
import type { ForeignRow } from '@innkeeper/panel/database/foreign-database'
import { byColumns, column, type Layout, off, on, secret, stateTables, valueText } from '../layout.ts'

const times = 'created_at updated_at'
const isFree = (row: ForeignRow) => valueText(row.server_id) === ''

/** The tables of Pterodactyl 1.x and of Pelican, which has some columns under other names. */
export const pterodactylLayout: Layout = {
  users: {
    what: 'user',
    name: byColumns('username', 'email'),
    carried: 'id username email password language root_admin use_totp totp_secret mfa_app_secret mfa_email_enabled',
    ignored: `${times} uuid remember_token totp_authenticated_at gravatar`,
    listed: {
      external_id: column('external ID'),
      name_first: column('first name'),
      name_last: column('last name'),
      timezone: column('time zone', ['UTC']),
      oauth: column('sign-in by other services', [], getServices),
      customization: column('appearance'),
      is_managed_externally: column('management by another system', off, secret),
      mfa_app_recovery_codes: column('recovery codes', [], secret),
    },
  },
  servers: {
    what: 'server',
    name: byColumns('name', 'uuid'),
    carried:
      'id uuid uuidShort uuid_short node_id name owner_id memory disk cpu threads allocation_id egg_id startup image docker_labels suspended',
    ignored: `${times} installed_at nest_id`,
    listed: {
      external_id: column('external ID'),
      description: column('description'),
      status: column('state', ['suspended']),
      skip_scripts: column('without its install script', off, secret),
      swap: column('swap in MiB', ['0']),
      io: column('IO weight', ['500']),
      oom_disabled: column('OOM killer off', off, secret),
      oom_killer: column('OOM killer off', on, secret),
      allocation_limit: column('limit of allocations', ['0']),
      database_limit: column('limit of databases', ['0']),
      backup_limit: column('limit of backups', ['0']),
      icon: column('icon', [], secret),
    },
  },
  nodes: {
    what: 'node',
    name: byColumns('name', 'fqdn'),
    carried: 'id name fqdn daemonListen daemonSFTP daemon_listen daemon_sftp daemon_connect',
    ignored: `${times} uuid daemon_token_id daemon_token daemonBase daemon_base scheme behind_proxy`,
    listed: {
      description: column('description'),
      public: column('not for automatic placement', on, secret),
      maintenance_mode: column('maintenance mode', off, secret),
      location_id: column('location', [], (value) => `#${value}`),
      memory: column('memory for servers in MiB', ['0']),
      memory_overallocate: column('overallocation of memory', ['0']),
      disk: column('disk space for servers in MiB', ['0']),
      disk_overallocate: column('overallocation of disk space', ['0']),
      cpu: column('processor time for servers in percent', ['0']),
      cpu_overallocate: column('overallocation of processor time', ['0']),
      upload_size: column('size of uploads in MiB', ['100', '256']),
      daemon_sftp_alias: column('address for SFTP'),
      tags: column('tags'),
    },
  },
  allocations: {
    what: 'allocation',
    name: (row) => `${valueText(row.ip)}:${valueText(row.port)}`,
    carried: 'id node_id ip port server_id',
    ignored: times,
    listed: {
      // Those of free ones are the note of a port range.
      ip_alias: column('alias', [], (value, row) => (isFree(row) ? undefined : value)),
      notes: column('note', [], (value, row) => (isFree(row) ? undefined : value)),
      is_locked: column('lock', off, secret),
      show_port: column('hidden port', on, secret),
    },
  },
  eggs: {
    what: 'egg',
    name: byColumns('name'),
    carried:
      'id name author description features docker_images file_denylist config_files config_startup config_stop config_from startup script_container copy_script_from script_entry script_install',
    ignored: `${times} uuid nest_id config_logs script_is_privileged`,
    listed: {
      startup_commands: column('further start commands', [], findOtherCommands),
      update_url: column('address for updates'),
      force_outgoing_ip: column('fixed outgoing address', off, secret),
      tags: column('tags'),
      image: column('picture', [], secret),
    },
  },
  egg_variables: {
    what: 'egg variable',
    name: byColumns('env_variable', 'name'),
    carried: 'id egg_id name description env_variable default_value user_viewable user_editable rules sort',
    ignored: times,
  },
  server_variables: {
    what: 'value of a variable',
    name: byColumns('id'),
    carried: 'id server_id variable_id variable_value',
    ignored: times,
  },
  subusers: {
    what: 'subuser',
    name: byColumns('id'),
    carried: 'id user_id server_id permissions',
    ignored: times,
  },
  schedules: {
    what: 'schedule',
    name: byColumns('name'),
    carried:
      'id server_id name cron_minute cron_hour cron_day_of_month cron_month cron_day_of_week is_active only_when_online',
    ignored: `${times} is_processing last_run_at next_run_at`,
  },
  tasks: {
    what: 'action of a schedule',
    name: byColumns('id'),
    carried: 'id schedule_id sequence_id action payload time_offset continue_on_failure',
    ignored: `${times} is_queued`,
  },
  databases: { lost: 'database', name: byColumns('database') },
  database_hosts: { lost: 'database host', name: byColumns('name') },
  backups: { lost: 'backup', name: byColumns('name', 'uuid') },
  backup_hosts: { lost: 'backup host', name: byColumns('name') },
  api_keys: { lost: 'API key', name: byColumns('memo', 'identifier') },
  user_ssh_keys: { lost: 'SSH key', name: byColumns('name', 'fingerprint') },
  passkeys: { lost: 'passkey', name: byColumns('name') },
  mounts: { lost: 'mount', name: byColumns('name') },
  mount_server: { lost: 'mount of a server', name: getPair('mount_id', 'server', 'server_id') },
  mount_node: { lost: 'mount of a node', name: getPair('mount_id', 'node', 'node_id') },
  egg_mount: { lost: 'mount of an egg', name: getPair('mount_id', 'egg', 'egg_id') },
  mountables: {
    lost: 'mount',
    name: (row) => `#${valueText(row.mount_id)} for ${valueText(row.mountable_type)} #${valueText(row.mountable_id)}`,
  },
  locations: { lost: 'location', name: byColumns('short', 'long') },
  nests: { lost: 'nest', name: byColumns('name') },
  settings: { lost: 'setting', name: (row) => valueText(row.key).replace(/^settings::/, '') },
  roles: { lost: 'role', name: byColumns('name'), isCarried: ({ name }) => name === 'Root Admin' },
  webhook_configurations: { lost: 'webhook', name: byColumns('name', 'description', 'endpoint') },
  recovery_tokens: { counted: 'recovery codes of users' },
  model_has_permissions: { counted: 'permissions of single users' },
  server_user_settings: { counted: 'settings of users for a server' },
  activity_logs: { counted: 'entries of the activity log' },
  audit_logs: { counted: 'entries of the audit log' },
  ...stateTables(
    'model_has_roles role_has_permissions permissions node_role database_host_node backup_host_node activity_log_subjects api_logs cache cache_locks failed_jobs health_check_result_history_items job_batches jobs migrations notifications password_reset_tokens password_resets server_transfers sessions sqlite_sequence tasks_log webhooks',
  ),
}

function getPair(first: string, subject: string, second: string) {
  return (row: ForeignRow): string => `#${valueText(row[first])} for ${subject} #${valueText(row[second])}`
}

/** The names of other services, without the identifiers there. */
function getServices(json: string): string {
  return namesIn(json).join(', ')
}

/** The names of all start commands except the first one, which the template uses. */
function findOtherCommands(json: string): string | undefined {
  const others = namesIn(json).slice(1)
  return others.length === 0 ? undefined : others.join(', ')
}

function namesIn(json: string): readonly string[] {
  const value: unknown = parseJsonOrUndefined(json)
  return typeof value === 'object' && value !== null ? Object.keys(value) : []
}
