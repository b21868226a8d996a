import { who, whoIs, withPeople } from '../caretaking.ts'
import type { Command } from '../command.ts'

export const userPasswd: Command = {
  name: 'user passwd',
  operands: [who],
  summary: "Sets a user's password, and ends their sessions, SSH keys and OAuth2 clients.",
  options: { 'keep-access': { type: 'boolean', help: 'Keeps their SSH keys and OAuth2 clients.' } },
  notes: `${whoIs}\nThe password is asked for; without a terminal it is the first line of the input.`,

  async run({ operands: [name = ''], options }, desk) {
    await withPeople(desk, async (people) => {
      const { username } = await people.get(name)
      const keepAccess = options['keep-access'] === true
      await people.setPassword(name, await desk.terminal.newPassword(), { keepAccess })
      desk.terminal.say(`Set the password of ${username}.`)
    })
  },
}
