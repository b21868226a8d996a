import { withCaretaking } from '../caretaking.ts'
import type { Command } from '../command.ts'

export const nodeDelete: Command = {
  name: 'node delete',
  operands: ['<node>'],
  summary: 'Deletes a node from the panel.',
  options: {
    force: { type: 'boolean', help: 'Deletes its servers from the panel too, for a machine that is gone for good.' },
    yes: { type: 'boolean', short: 'y', help: 'Does not ask first.' },
  },
  notes: '<node> is a name, or a number as #1. The node is not asked: what runs on its machine runs on.',

  async run({ operands: [given = ''], options }, desk) {
    await withCaretaking(desk, async ({ removal }) => {
      const node = await removal.findNode(given)
      const force = options.force === true
      const servers = (await removal.listNodes()).find(({ id }) => id === node.id)?.servers ?? 0
      if (force && servers > 0) {
        desk.terminal.say(
          `Deletes ${node.name} and its ${servers === 1 ? 'server' : `${servers} servers`} from the panel. Files that are left on the machine are not touched, and what runs there runs on without the panel.`,
        )
      }
      if (!options.yes && !(await desk.terminal.agrees(`Delete ${node.name}?`))) {
        desk.terminal.say('Nothing was changed.')
        return
      }
      await removal.deleteNode(node, { force })
      desk.terminal.say(`Deleted ${node.name}.`)
    })
  },
}
