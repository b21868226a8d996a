import { type Command, jsonOption } from '../command/command.ts'
import { withOperatorContext } from '../command/operator.ts'
import { table } from '../command/terminal.ts'

export const nodeList: Command = {
  name: 'node list',
  operands: [],
  summary: 'Lists the nodes on other machines.',
  options: { json: jsonOption },

  async run({ options }, context) {
    const nodes = await withOperatorContext(context, ({ removal }) => removal.listNodes())
    if (options.json) {
      context.terminal.say(JSON.stringify(nodes))
      return
    }
    const rows = nodes.map(({ id, name, host, servers }) => [`#${id}`, name, host, String(servers)])
    context.terminal.say(table(['ID', 'NAME', 'HOST', 'SERVERS'], rows))
  },
}
