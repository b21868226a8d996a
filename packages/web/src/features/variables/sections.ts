import type { VariableGroup } from '@innkeeper/contract/definitions/definition'

/** Fields that a form shows together. */
export interface Section<F> {
  /** React key, stable as long as the definition is. */
  readonly key: string
  /** Absent for fields without a group. */
  readonly group?: VariableGroup
  readonly fields: readonly F[]
}

/**
 * Divides the fields of a form into sections: fields without a group first, then the groups in their order. A field of
 * several groups is in the first visible one, and hidden when all its groups are. Empty sections are left out.
 */
export function groupFields<F extends { readonly name: string }>(
  fields: readonly F[],
  groups: readonly VariableGroup[],
  isVisible: (group: VariableGroup) => boolean,
): readonly Section<F>[] {
  const grouped = new Set(groups.flatMap(({ variables }) => variables))
  const remaining = new Map(fields.map((field) => [field.name, field]))
  const sections = groups.map((group, index): Section<F> => {
    const own = isVisible(group) ? group.variables.flatMap((name) => remaining.get(name) ?? []) : []
    for (const { name } of own) remaining.delete(name)
    return { key: String(index), group, fields: [...new Set(own)] }
  })
  const ungrouped = { key: 'ungrouped', fields: fields.filter(({ name }) => !grouped.has(name)) }
  return [ungrouped, ...sections].filter((section) => section.fields.length > 0)
}
