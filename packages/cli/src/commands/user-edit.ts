import { type Command, onOffOption, textOption } from '../command/command.ts'
import { userArgument, userArgumentHelp, withOperatorContext } from '../command/operator.ts'
import { UsageError } from '../command/terminal.ts'

export const userEdit: Command = {
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
    await withOperatorContext(context, ({ users }) => users.edit(name, change))
    context.terminal.say(`Changed ${name}.`)
  },
}
