import { withCaretaking } from '../caretaking.ts'
import type { Command } from '../command.ts'

export const panelRotateKey: Command = {
  name: 'panel rotate-key',
  operands: [],
  summary: 'Replaces the key that panels sign with; nothing stops.',
  options: {},
  notes:
    'Nodes are told first. The new key signs when all that are online know it, or after ten minutes; an hour later the\n' +
    'old one is forgotten. A node that was away all that time has to join anew.',

  async run(_, desk) {
    const made = await withCaretaking(desk, (caretaking) => caretaking.rotateKey())
    desk.terminal.say(
      made === 'created'
        ? 'A new key is made. Nodes are told, then panels sign with it; in about an hour the old one is forgotten.'
        : 'A change of keys is under way already. Wait until it is over, about an hour after it began.',
    )
  },
}
