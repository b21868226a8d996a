import type { ForeignRow } from '@innkeeper/panel/database/foreign-database'
import { byColumns, column, type Layout, off, on, secret, stateTables, valueText } from '../layout.ts'

/** The tables of Crafty 4. */
export const craftyLayout: Layout = {
  users: {
    what: 'user',
    name: byColumns('username'),
    carried: 'user_id username password email enabled superuser lang disable_password_auth',
    ignored:
      'created last_login last_update last_ip support_logs valid_tokens_from server_order preparing hints pfp cleared_notifs',
    listed: {
      manager: column('manager', [], (value) => `user #${value}`),
      theme: column('theme', ['default']),
      dashboard_columns: column('columns of the dashboard', ['server,actions,cpuUsage,memUsage,size,players,status']),
    },
  },
  roles: {
    what: 'role',
    name: byColumns('role_name'),
    carried: 'role_id',
    ignored: 'created last_update',
    listed: {
      role_name: column('the role itself; its users have its permissions', [], secret),
      manager: column('manager', [], (value) => `user #${value}`),
      mfa_required: column('that a second factor is required', off, secret),
    },
  },
  user_roles: {
    what: 'role of a user',
    name: byColumns('user_id'),
    carried: 'user_id role_id',
  },
  role_servers: {
    what: 'server of a role',
    name: byColumns('server_id'),
    carried: 'role_id server_id permissions',
  },
  user_crafty: {
    what: 'permissions of user',
    name: (row) => `#${valueText(row.user_id)}`,
    carried: 'user_id',
    ignored:
      'id limit_server_creation limit_user_creation limit_role_creation created_server created_user created_role',
    listed: { permissions: column('to create', ['000'], createdKinds) },
  },
  servers: {
    what: 'server',
    name: byColumns('server_name', 'server_id'),
    carried:
      'server_id server_name path execution_command auto_start auto_start_delay crash_detection stop_command server_port type shutdown_timeout',
    ignored: 'created created_by server_uuid executable log_path',
    listed: {
      backup_path: column('folder of backups'),
      executable_update_url: column('address for updates'),
      server_ip: column('address', ['127.0.0.1', '0.0.0.0', 'localhost']),
      logs_delete_after: column('days until logs are deleted', ['0']),
      app_id: column('Steam app'),
      show_status: column('hidden from the status page', on, secret),
      ignored_exits: column('exit codes that are no crash', ['0']),
      count_players: column('not counted players', on, secret),
      update_watcher: column('search for updates', off, secret),
    },
  },
  schedules: {
    what: 'schedule',
    name: byColumns('name', 'comment', 'schedule_id'),
    carried:
      'schedule_id server_id enabled action interval interval_type start_time command comment name one_time cron_string parent delay',
    ignored: 'next_run created',
    listed: { action_id: column('backup setting') },
  },
  totp_data: {
    what: 'second factor',
    name: byColumns('name'),
    carried: 'id user_id totp_secret',
    ignored: 'name',
  },
  crafty_settings: {
    what: 'settings of the panel',
    name: byColumns('id'),
    carried: 'id',
    ignored: 'secret_api_key cookie_secret',
    listed: {
      login_photo: column('picture of the sign-in', ['login_1.jpg']),
      login_opacity: column('opacity of the sign-in', ['100']),
      master_server_dir: column('folder of all servers'),
    },
  },
  api_keys: { lost: 'API key', name: byColumns('name', 'token_id') },
  backups: { lost: 'backup setting', name: byColumns('backup_name', 'backup_id', 'server_id') },
  webhooks: { lost: 'webhook', name: byColumns('name') },
  passkey_data: { lost: 'passkey', name: byColumns('name') },
  totp_recovery: { counted: 'recovery codes of users' },
  audit_log: { counted: 'entries of the audit log' },
  ...stateTables('commands host_stats migratehistory passkey_challenges server_stats sqlite_sequence'),
}

const kinds = ['servers', 'users', 'roles']

/** A mask of what a user may create; superusers may everything. */
function createdKinds(mask: string, row: ForeignRow): string | undefined {
  const granted = kinds.filter((_, at) => mask[at] === '1')
  const limits = ['limit_server_creation', 'limit_user_creation', 'limit_role_creation']
  const texts = granted.map((kind) => {
    const limit = valueText(row[limits[kinds.indexOf(kind)] ?? ''])
    return limit === '' || limit === '-1' ? kind : `${limit} ${kind}`
  })
  return texts.length === 0 ? undefined : texts.join(', ')
}
