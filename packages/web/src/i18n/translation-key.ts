import type account from '../locales/en_US/account.json'
import type activity from '../locales/en_US/activity.json'
import type addServer from '../locales/en_US/add-server.json'
import type alerts from '../locales/en_US/alerts.json'
import type backupTargets from '../locales/en_US/backup-targets.json'
import type backups from '../locales/en_US/backups.json'
import type common from '../locales/en_US/common.json'
import type console from '../locales/en_US/console.json'
import type definition from '../locales/en_US/definition.json'
import type docker from '../locales/en_US/docker.json'
import type docs from '../locales/en_US/docs.json'
import type errors from '../locales/en_US/errors.json'
import type fileEditor from '../locales/en_US/file-editor.json'
import type files from '../locales/en_US/files.json'
import type firstSteps from '../locales/en_US/first-steps.json'
import type forms from '../locales/en_US/forms.json'
import type hotkeys from '../locales/en_US/hotkeys.json'
import type invite from '../locales/en_US/invite.json'
import type keys from '../locales/en_US/keys.json'
import type language from '../locales/en_US/language.json'
import type lines from '../locales/en_US/lines.json'
import type nodes from '../locales/en_US/nodes.json'
import type notFound from '../locales/en_US/not-found.json'
import type oauth from '../locales/en_US/oauth.json'
import type palette from '../locales/en_US/palette.json'
import type reasons from '../locales/en_US/reasons.json'
import type register from '../locales/en_US/register.json'
import type reset from '../locales/en_US/reset.json'
import type server from '../locales/en_US/server.json'
import type serverUsers from '../locales/en_US/server-users.json'
import type servers from '../locales/en_US/servers.json'
import type settings from '../locales/en_US/settings.json'
import type setup from '../locales/en_US/setup.json'
import type shell from '../locales/en_US/shell.json'
import type signIn from '../locales/en_US/sign-in.json'
import type sorting from '../locales/en_US/sorting.json'
import type stats from '../locales/en_US/stats.json'
import type status from '../locales/en_US/status.json'
import type steps from '../locales/en_US/steps.json'
import type tasks from '../locales/en_US/tasks.json'
import type templates from '../locales/en_US/templates.json'
import type twoFactor from '../locales/en_US/two-factor.json'
import type units from '../locales/en_US/units.json'
import type uploads from '../locales/en_US/uploads.json'
import type users from '../locales/en_US/users.json'
import type variableLabels from '../locales/en_US/variable-labels.json'

/** The files of the English catalog. */
interface Catalog {
  account: typeof account
  activity: typeof activity
  'add-server': typeof addServer
  alerts: typeof alerts
  'backup-targets': typeof backupTargets
  backups: typeof backups
  common: typeof common
  console: typeof console
  definition: typeof definition
  docker: typeof docker
  docs: typeof docs
  errors: typeof errors
  'file-editor': typeof fileEditor
  files: typeof files
  'first-steps': typeof firstSteps
  forms: typeof forms
  hotkeys: typeof hotkeys
  invite: typeof invite
  keys: typeof keys
  language: typeof language
  lines: typeof lines
  'sign-in': typeof signIn
  nodes: typeof nodes
  'not-found': typeof notFound
  oauth: typeof oauth
  palette: typeof palette
  reasons: typeof reasons
  register: typeof register
  reset: typeof reset
  server: typeof server
  'server-users': typeof serverUsers
  servers: typeof servers
  settings: typeof settings
  setup: typeof setup
  shell: typeof shell
  sorting: typeof sorting
  stats: typeof stats
  status: typeof status
  steps: typeof steps
  tasks: typeof tasks
  templates: typeof templates
  'two-factor': typeof twoFactor
  units: typeof units
  uploads: typeof uploads
  users: typeof users
  'variable-labels': typeof variableLabels
}

type WithoutPlural<K extends string> = K extends `${infer Stem}_${'one' | 'other'}` ? Stem : K

/** A key of the catalog: `file.Key`, without the suffix of a plural form. */
export type TranslationKey = {
  [F in keyof Catalog]: `${F}.${WithoutPlural<keyof Catalog[F] & string>}`
}[keyof Catalog]
