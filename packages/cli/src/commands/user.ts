import {
  type Command,
  isConfirmed,
  jsonOption,
  onOffOption,
  textOption,
  userArgument,
  userArgumentHelp,
  withCliContext,
  yesOption,
} from '../command/command.ts'
import { table, UsageError } from '../command/terminal.ts'

const userAdd: Command = {
  name: 'user add',
  operands: ['<username>', '<email>'],
  summary: 'Adds a user.',
  options: { admin: { type: 'boolean', help: 'Makes the user an administrator.' } },
  notes: 'Prompts for the password; without a terminal it is read from the first line of the input.',

  async run({ operands: [username = '', email = ''], options }, context) {
    await withCliContext(context, async ({ users }) => {
      users.check({ username, email })
      const password = await context.terminal.newPassword()
      const id = await users.add({ username, email, password }, { admin: options.admin === true })
      context.terminal.say(`Added ${username} as #${id}.`)
    })
  },
}

const userList: Command = {
  name: 'user list',
  operands: [],
  summary: 'Lists the users.',
  options: { json: jsonOption },

  async run({ options }, context) {
    const everyone = await withCliContext(context, ({ users }) => users.list())
    if (options.json) return context.terminal.say(JSON.stringify(everyone))
    const rows = everyone.map((user) => [
      `#${user.id}`,
      user.username,
      user.email,
      user.isAdmin ? 'administrator' : '',
      user.hasTwoFactor ? 'on' : '',
      user.createdAt.slice(0, 10),
    ])
    context.terminal.say(table(['ID', 'USERNAME', 'EMAIL', 'ROLE', 'TWO-FACTOR', 'CREATED'], rows))
  },
}

const userEdit: Command = {
  name: 'user edit',
  operands: [userArgument],
  summary: "Changes a user's name, address or role.",
  options: {
    username: { type: 'string', value: 'name', help: 'Changes the username.' },
    email: { type: 'string', value: 'email', help: 'Changes the email address.' },
    admin: { type: 'string', value: 'on|off', help: 'Grants or revokes administrator permissions.' },
    'no-two-factor': { type: 'boolean', help: 'Disables two-factor, for a user who lost phone and recovery codes.' },
  },
  notes: userArgumentHelp,

  async run(args, context) {
    const [name = ''] = args.operands
    const change = {
      username: textOption(args, 'username'),
      email: textOption(args, 'email'),
      isAdmin: onOffOption(args, 'admin'),
      ...(args.options['no-two-factor'] ? { hasTwoFactor: false as const } : {}),
    }
    if (Object.values(change).every((value) => value === undefined)) throw new UsageError('Nothing to change.')
    await withCliContext(context, ({ users }) => users.edit(name, change))
    context.terminal.say(`Changed ${name}.`)
  },
}

const userPasswd: Command = {
  name: 'user passwd',
  operands: [userArgument],
  summary: "Sets a user's password, and ends their sessions, SSH keys and OAuth2 clients.",
  options: { 'keep-access': { type: 'boolean', help: "Keeps the user's SSH keys and OAuth2 clients." } },
  notes: `${userArgumentHelp}\nPrompts for the password; without a terminal it is read from the first line of the input.`,

  async run({ operands: [name = ''], options }, context) {
    await withCliContext(context, async ({ users }) => {
      const { username } = await users.get(name)
      const keepAccess = options['keep-access'] === true
      await users.setPassword(name, await context.terminal.newPassword(), { keepAccess })
      context.terminal.say(`Set the password of ${username}.`)
    })
  },
}

const userDelete: Command = {
  name: 'user delete',
  operands: [userArgument],
  summary: 'Deletes a user; servers are kept.',
  options: { yes: yesOption },
  notes: userArgumentHelp,

  async run({ operands: [name = ''], options }, context) {
    await withCliContext(context, async ({ users }) => {
      const { username, email } = await users.get(name)
      if (!(await isConfirmed(`Delete ${username} <${email}>?`, { options }, context))) return
      await users.remove(name)
      context.terminal.say(`Deleted ${username}.`)
    })
  },
}

export const userCommands: readonly Command[] = [userAdd, userList, userEdit, userPasswd, userDelete]
