import { type Command, isConfirmed, textOption, yesOption } from '../command/command.ts'

/** The exit code of a dry run that found changes. */
const changesFound = 3

export const apply: Command = {
  name: 'apply',
  operands: ['<file>'],
  summary: 'Creates and changes templates, servers, users, permissions and tasks as a file says.',
  options: {
    as: { type: 'string', value: 'who', help: 'The administrator who makes the changes. Default: the first one.' },
    'dry-run': { type: 'boolean', help: 'Prints the changes only; exits with 3 when there are some.' },
    prune: { type: 'boolean', help: 'Deletes what the file does not have, in the sections that it has.' },
    yes: yesOption,
  },
  notes: 'It prints the changes and asks before it makes them. Innkeeper must run. See docs/servers-as-code.md.',

  async run(args, context) {
    const { applyPlan, getPlan } = await import('../manifest/apply-plan.ts')
    const { readPanelState } = await import('../manifest/panel-state.ts')
    const { textOfPlan } = await import('../manifest/plan.ts')
    const { readManifestFile } = await import('../manifest/read-manifest.ts')
    const { withPanel } = await import('../manifest/panel-client.ts')
    const { terminal } = context
    const { manifest, getError } = await readManifestFile(args.operands[0] ?? '')
    const who = textOption(args, 'as')
    const found = await withPanel(
      context,
      { who, agent: 'innkeeper apply' },
      async ({ client, userId, username, signal }) => {
        const state = await readPanelState(client, (name) => Object.hasOwn(manifest.servers ?? {}, name))
        const plan = getPlan({ manifest, state, userId, prune: args.options.prune === true })
        if (plan.problems.length > 0) throw getError(plan.problems)
        terminal.say(textOfPlan(plan))
        if (plan.changes.length === 0) return false
        if (args.options['dry-run']) return true
        if (!(await isConfirmed(`Make these changes as ${username}?`, args, context))) return false
        await applyPlan(plan, { client, signal, report: (name) => terminal.say(`Done: ${name}`) })
        return false
      },
    )
    if (found) context.exit(changesFound)
  },
}
