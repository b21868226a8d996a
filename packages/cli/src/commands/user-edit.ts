import { who, whoIs, withPeople } from '../caretaking.ts'
import { type Command, switchOf, textOf, WrongUsage } from '../command.ts'

export const userEdit: Command = {
  name: 'user edit',
  operands: [who],
  summary: "Changes a user's name, address or role.",
  options: {
    username: { type: 'string', value: 'name', help: 'Gives them another username.' },
    email: { type: 'string', value: 'email', help: 'Gives them another email address.' },
    admin: { type: 'string', value: 'on|off', help: 'Makes them an administrator, or no longer.' },
    'no-two-factor': { type: 'boolean', help: 'Switches two-factor off, for one who lost phone and recovery codes.' },
  },
  notes: whoIs,

  async run(typed, desk) {
    const [name = ''] = typed.operands
    const change = {
      username: textOf(typed, 'username'),
      email: textOf(typed, 'email'),
      isAdmin: switchOf(typed, 'admin'),
      ...(typed.options['no-two-factor'] ? { hasTwoFactor: false as const } : {}),
    }
    if (Object.values(change).every((value) => value === undefined)) throw new WrongUsage('Nothing is to be changed.')
    await withPeople(desk, (people) => people.edit(name, change))
    desk.terminal.say(`Changed ${name}.`)
  },
}
