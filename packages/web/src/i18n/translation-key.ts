/** The files of the English catalog. */
interface Catalog {
  account: typeof import('../locales/en_US/account.json').default
  activity: typeof import('../locales/en_US/activity.json').default
  'add-server': typeof import('../locales/en_US/add-server.json').default
  alerts: typeof import('../locales/en_US/alerts.json').default
  'backup-targets': typeof import('../locales/en_US/backup-targets.json').default
  backups: typeof import('../locales/en_US/backups.json').default
  common: typeof import('../locales/en_US/common.json').default
  console: typeof import('../locales/en_US/console.json').default
  definition: typeof import('../locales/en_US/definition.json').default
  docker: typeof import('../locales/en_US/docker.json').default
  docs: typeof import('../locales/en_US/docs.json').default
  errors: typeof import('../locales/en_US/errors.json').default
  'file-editor': typeof import('../locales/en_US/file-editor.json').default
  files: typeof import('../locales/en_US/files.json').default
  'first-steps': typeof import('../locales/en_US/first-steps.json').default
  forms: typeof import('../locales/en_US/forms.json').default
  hotkeys: typeof import('../locales/en_US/hotkeys.json').default
  invite: typeof import('../locales/en_US/invite.json').default
  keys: typeof import('../locales/en_US/keys.json').default
  language: typeof import('../locales/en_US/language.json').default
  lines: typeof import('../locales/en_US/lines.json').default
  'sign-in': typeof import('../locales/en_US/sign-in.json').default
  nodes: typeof import('../locales/en_US/nodes.json').default
  'not-found': typeof import('../locales/en_US/not-found.json').default
  oauth: typeof import('../locales/en_US/oauth.json').default
  palette: typeof import('../locales/en_US/palette.json').default
  reasons: typeof import('../locales/en_US/reasons.json').default
  register: typeof import('../locales/en_US/register.json').default
  reset: typeof import('../locales/en_US/reset.json').default
  server: typeof import('../locales/en_US/server.json').default
  'server-users': typeof import('../locales/en_US/server-users.json').default
  servers: typeof import('../locales/en_US/servers.json').default
  settings: typeof import('../locales/en_US/settings.json').default
  setup: typeof import('../locales/en_US/setup.json').default
  shell: typeof import('../locales/en_US/shell.json').default
  sorting: typeof import('../locales/en_US/sorting.json').default
  stats: typeof import('../locales/en_US/stats.json').default
  status: typeof import('../locales/en_US/status.json').default
  steps: typeof import('../locales/en_US/steps.json').default
  tasks: typeof import('../locales/en_US/tasks.json').default
  templates: typeof import('../locales/en_US/templates.json').default
  'two-factor': typeof import('../locales/en_US/two-factor.json').default
  units: typeof import('../locales/en_US/units.json').default
  uploads: typeof import('../locales/en_US/uploads.json').default
  users: typeof import('../locales/en_US/users.json').default
  'variable-labels': typeof import('../locales/en_US/variable-labels.json').default
}

type WithoutPlural<K extends string> = K extends `${infer Stem}_${'one' | 'other'}` ? Stem : K

/** A key of the catalog: `file.Key`, without the suffix of a plural form. */
export type TranslationKey = {
  [F in keyof Catalog]: `${F}.${WithoutPlural<keyof Catalog[F] & string>}`
}[keyof Catalog]
