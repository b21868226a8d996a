import { getEnvironments, Template } from '@innkeeper/contract/definitions/definition'
import { validateDefinition } from '@innkeeper/contract/definitions/definition-problems'
import { deleteTemplate, putTemplate } from '@innkeeper/contract/templates/templates'
import { normalized } from './definition-patch.ts'
import { differences } from './differences.ts'
import { getTemplate } from './export-manifest.ts'
import type { PlanBuilder, PlanInput } from './plan.ts'
import { getProblems } from './read-manifest.ts'
import { withSecrets } from './secrets.ts'

/** Plans the templates, and returns those that exist afterwards. */
export function planTemplates({ manifest, state, prune }: PlanInput, plan: PlanBuilder): ReadonlyMap<string, Template> {
  const after = new Map([...state.templates].map(([name, { template }]) => [name, template]))
  for (const [name, content] of Object.entries(manifest.templates ?? {})) {
    const known = state.templates.get(name)
    const path = ['templates', name]
    const read = Template.safeParse(withSecrets(content, known && getTemplate(known)), { reportInput: true })
    if (!read.success) {
      plan.problems.push(...getProblems(read.error, path))
      continue
    }
    const template = {
      ...normalized({ supportedEnvironments: known?.template.supportedEnvironments, ...read.data }),
      name,
    }
    // As the panel returns it.
    after.set(name, { ...template, supportedEnvironments: [...getEnvironments(template)] })
    const lines = known ? differences(getTemplate(known), getTemplate({ ...known, template })) : []
    if (known && lines.length === 0) {
      plan.unchanged++
      continue
    }
    const problem = validateDefinition(template)
    if (problem) {
      const field = typeof problem.metadata.field === 'string' ? problem.metadata.field.split('.') : []
      plan.problem([...path, ...field], `${problem.message}.`)
      continue
    }
    const options = known ? { version: known.version } : { mustBeNew: true }
    plan.add(known ? 'change' : 'create', `template ${name}`, [
      {
        label: '',
        details: lines,
        run: (client) => client.call(putTemplate, { params: { name }, body: template }, options),
      },
    ])
  }
  if (!prune || !manifest.templates) return after
  for (const [name, { isOfficial }] of state.templates) {
    if (isOfficial || Object.hasOwn(manifest.templates, name)) continue
    after.delete(name)
    plan.remove(`template ${name}`, [], (client) => client.call(deleteTemplate, { params: { name } }))
  }
  return after
}
