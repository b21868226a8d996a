import { type Command, isConfirmed, jsonOption, withCliContext, yesOption } from '../command/command.ts'
import { table } from '../command/terminal.ts'

const nodeList: Command = {
  name: 'node list',
  operands: [],
  summary: 'Lists the nodes on other machines.',
  options: { json: jsonOption },

  async run({ options }, context) {
    const nodes = await withCliContext(context, ({ removal }) => removal.listNodes())
    if (options.json) return context.terminal.say(JSON.stringify(nodes))
    const rows = nodes.map(({ id, name, host, servers }) => [`#${id}`, name, host, String(servers)])
    context.terminal.say(table(['ID', 'NAME', 'HOST', 'SERVERS'], rows))
  },
}

const nodeDelete: Command = {
  name: 'node delete',
  operands: ['<node>'],
  summary: 'Deletes a node from the panel.',
  options: {
    force: {
      type: 'boolean',
      help: 'Also deletes its servers from the panel, for a machine that is gone permanently.',
    },
    yes: yesOption,
  },
  notes: '<node> is a name, or an ID like #1. The node is not contacted: servers on its machine keep running.',

  async run({ operands: [idOrName = ''], options }, context) {
    await withCliContext(context, async ({ removal }) => {
      const node = await removal.findNode(idOrName)
      const force = options.force === true
      const servers = (await removal.listNodes()).find(({ id }) => id === node.id)?.servers ?? 0
      if (force && servers > 0) {
        context.terminal.say(
          `Deletes ${node.name} and its ${servers === 1 ? 'server' : `${servers} servers`} from the panel. Files on the machine are not deleted, and servers that run there keep running without the panel.`,
        )
      }
      if (!(await isConfirmed(`Delete ${node.name}?`, { options }, context))) return
      await removal.deleteNode(node, { force })
      context.terminal.say(`Deleted ${node.name}.`)
    })
  },
}

export const nodeCommands: readonly Command[] = [nodeList, nodeDelete]
