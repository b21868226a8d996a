import { type Command, withCliContext } from '../command/command.ts'

export const panelRotateKey: Command = {
  name: 'panel rotate-key',
  operands: [],
  summary: 'Replaces the signing key of the panels, without downtime.',
  options: {},
  notes:
    'The new key is distributed to the nodes first. It signs when all online nodes know it, or after ten minutes. An hour\n' +
    'later the old one is deleted. A node that was offline all that time must join again.',

  async run(_, context) {
    const result = await withCliContext(context, (operator) => operator.rotateKey())
    context.terminal.say(
      result === 'created'
        ? 'A new key was created. It is distributed to the nodes, then panels sign with it; in about an hour the old one is deleted.'
        : 'A key rotation is already in progress. Wait until it has ended, about an hour after its start.',
    )
  },
}
