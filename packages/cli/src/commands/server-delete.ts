import { withCaretaking } from '../caretaking.ts'
import { type Command, WrongUsage } from '../command.ts'

export const serverDelete: Command = {
  name: 'server delete',
  operands: ['<server>'],
  summary: 'Deletes a server from the panel while its node is away.',
  options: {
    force: { type: 'boolean', help: 'Needed: the server is deleted from the panel without its node.' },
    yes: { type: 'boolean', short: 'y', help: 'Does not ask first.' },
  },
  notes: '<server> is an id or a name. A running panel deletes the server on its node when the node is back.',

  async run({ operands: [given = ''], options }, desk) {
    if (!options.force)
      throw new WrongUsage('The command line does not ask nodes. Add --force, or delete it in the panel.')
    await withCaretaking(desk, async ({ removal }) => {
      const server = await removal.findServer(given)
      const question = `Delete ${server.name} (${server.id}) with all its files?`
      if (!options.yes && !(await desk.terminal.agrees(question))) {
        desk.terminal.say('Nothing was changed.')
        return
      }
      await removal.deleteServer(server)
      desk.terminal.say(`Deleted ${server.name}.`)
    })
  },
}
