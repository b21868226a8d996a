import { type Command, isConfirmed, withCliContext, yesOption } from '../command/command.ts'
import { UsageError } from '../command/terminal.ts'

export const serverDelete: Command = {
  name: 'server delete',
  operands: ['<server>'],
  summary: 'Deletes a server from the panel while its node is offline.',
  options: {
    force: { type: 'boolean', help: 'Required: the server is deleted from the panel without its node.' },
    yes: yesOption,
  },
  notes: '<server> is an ID or a name. A running panel deletes the server on its node when the node is back.',

  async run({ operands: [idOrName = ''], options }, context) {
    if (!options.force)
      throw new UsageError('The command line does not contact nodes. Add --force, or delete the server in the panel.')
    await withCliContext(context, async ({ removal }) => {
      const server = await removal.findServer(idOrName)
      const question = `Delete ${server.name} (${server.id}) with all its files?`
      if (!(await isConfirmed(question, { options }, context))) return
      await removal.deleteServer(server)
      context.terminal.say(`Deleted ${server.name}.`)
    })
  },
}
