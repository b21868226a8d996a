import { withCaretaking } from '../caretaking.ts'
import type { Command } from '../command.ts'
import { table } from '../terminal.ts'

export const nodeList: Command = {
  name: 'node list',
  operands: [],
  summary: 'Lists the nodes on other machines.',
  options: { json: { type: 'boolean', help: 'Prints JSON, for programs.' } },

  async run({ options }, desk) {
    const nodes = await withCaretaking(desk, ({ removal }) => removal.listNodes())
    if (options.json) {
      desk.terminal.say(JSON.stringify(nodes))
      return
    }
    const rows = nodes.map(({ id, name, host, servers }) => [`#${id}`, name, host, String(servers)])
    desk.terminal.say(table(['ID', 'NAME', 'HOST', 'SERVERS'], rows))
  },
}
