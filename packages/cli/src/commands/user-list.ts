import { withPeople } from '../caretaking.ts'
import type { Command } from '../command.ts'
import { table } from '../terminal.ts'

export const userList: Command = {
  name: 'user list',
  operands: [],
  summary: 'Lists the users.',
  options: { json: { type: 'boolean', help: 'Prints JSON, for programs.' } },

  async run({ options }, desk) {
    const everyone = await withPeople(desk, (people) => people.list())
    if (options.json) {
      desk.terminal.say(JSON.stringify(everyone))
      return
    }
    const rows = everyone.map((person) => [
      `#${person.id}`,
      person.username,
      person.email,
      person.isAdmin ? 'administrator' : '',
      person.hasTwoFactor ? 'on' : '',
      person.createdAt.slice(0, 10),
    ])
    desk.terminal.say(table(['ID', 'USERNAME', 'EMAIL', 'ROLE', 'TWO-FACTOR', 'CREATED'], rows))
  },
}
