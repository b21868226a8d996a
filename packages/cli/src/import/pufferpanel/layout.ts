import { byColumns, column, type Layout, off, secret, stateTables, type TableLayout, valueText } from '../layout.ts'

const times = 'created_at updated_at'

/** The tables of PufferPanel 2.x and 3.x. */
export const pufferPanelLayout: Layout = {
  users: {
    what: 'user',
    name: byColumns('username', 'email'),
    carried: 'id username email password otp_secret otp_active',
    ignored: times,
  },
  permissions: {
    what: 'permissions',
    name: byColumns('id'),
    carried:
      'id user_id client_id server_identifier scopes admin view_server create_server view_nodes edit_nodes deploy_nodes view_templates edit_templates edit_users view_users edit_server_admin delete_server panel_settings edit_server_data edit_server_users install_server view_server_console send_server_console stop_server start_server view_server_stats view_server_files sftp_server put_server_files',
    // No version of PufferPanel has a use for it.
    ignored: 'update_server',
  },
  servers: {
    what: 'server',
    name: byColumns('name', 'identifier'),
    carried: 'identifier name node_id ip port type',
    ignored: times,
    listed: { icon: column('icon') },
  },
  nodes: {
    what: 'node',
    name: byColumns('name'),
    carried: 'id name public_host private_host public_port private_port sftp_port',
    ignored: `${times} secret`,
  },
  templates: { what: 'template', name: byColumns('name'), carried: 'name raw_value readme' },
  clients: {
    what: 'OAuth2 client',
    name: byColumns('name', 'client_id'),
    carried: 'id client_id client_secret user_id server_id scopes name description',
  },
  user_settings: {
    lost: 'setting',
    name: (row) => `${valueText(row.key)} of user #${valueText(row.user_id)}`,
    isCarried: ({ value }) => valueText(value) === '',
  },
  // Only in some versions before 2.3: later ones have a file.
  settings: { lost: 'setting', name: byColumns('key') },
  template_repos: { lost: 'template repository', name: byColumns('name') },
  backups: { lost: 'backup', name: byColumns('name', 'file_name') },
  webauthn_credentials: { lost: 'passkey', name: byColumns('name') },
  public_keys: { lost: 'SSH key', name: (row) => `#${valueText(row.id)} of user #${valueText(row.user_id)}` },
  recovery_codes: { counted: 'recovery codes of users' },
  ...stateTables('migrations sessions sqlite_sequence'),
}

/** The keys of its configuration file. */
export const pufferConfigLayout: Exclude<TableLayout, 'state'> = {
  what: 'settings in',
  name: byColumns('path'),
  carried: 'path panel.database.dialect panel.database.url daemon.data.servers daemon.data.root daemon.sftp.key',
  ignored:
    'logs web.host web.socket panel.enable panel.database.log panel.database.session panel.email.templates panel.web.files panel.sessionKey panel.token panel.email.templateFolder daemon.enable daemon.sftp.host daemon.auth.url daemon.auth.clientId daemon.auth.clientSecret daemon.auth.publicKey daemon.data.cache daemon.data.modules daemon.data.binaries token.public token.private security.forceOpenat security.forceOpenat2 security.trustedProxies security.trustedProxyHeader docker.root docker.disallowHost',
  listed: {
    'panel.settings.companyName': column('name of the panel', ['PufferPanel']),
    'panel.settings.defaultTheme': column('theme', ['PufferPanel']),
    'panel.settings.themeSettings': column('settings of the theme'),
    'panel.settings.masterUrl': column('address of the panel', ['http://localhost:8080']),
    'panel.registrationEnabled': column('registration off', ['true'], secret),
    'panel.email.provider': column('mail provider'),
    'panel.email.from': column('mail sender'),
    'panel.email.domain': column('mail domain'),
    'panel.email.host': column('mail server'),
    'panel.email.username': column('mail user'),
    'panel.email.password': column('mail password', [], secret),
    'panel.email.key': column('mail key', [], secret),
    'daemon.console.buffer': column('lines of the console', ['50']),
    'daemon.console.forward': column('console in the log', off, secret),
    'daemon.data.crashLimit': column('starts after crashes', ['3']),
    'daemon.data.maxWSDownloadSize': column('size of downloads'),
    'daemon.curseforge.key': column('CurseForge key', [], secret),
  },
}
