import { who, whoIs, withPeople } from '../caretaking.ts'
import type { Command } from '../command.ts'

export const userDelete: Command = {
  name: 'user delete',
  operands: [who],
  summary: 'Deletes a user; servers stay.',
  options: { yes: { type: 'boolean', short: 'y', help: 'Does not ask first.' } },
  notes: whoIs,

  async run({ operands: [name = ''], options }, desk) {
    await withPeople(desk, async (people) => {
      const { username, email } = await people.get(name)
      if (!options.yes && !(await desk.terminal.agrees(`Delete ${username} <${email}>?`))) {
        desk.terminal.say('Nothing was changed.')
        return
      }
      await people.remove(name)
      desk.terminal.say(`Deleted ${username}.`)
    })
  },
}
