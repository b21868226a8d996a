import type { VariableGroup } from '@innkeeper/contract/definition'

/** Fields of a form that stand together. */
export interface Section<F> {
  /** The same for a section as long as its definition is the same. */
  readonly key: string
  /** Absent for the fields that no group names. */
  readonly group?: VariableGroup
  readonly fields: readonly F[]
}

/**
 * The fields of a form in sections: first those that no group names, since behind the groups they would look like a part
 * of the last, then the groups as they come. A field stands once, in the first of its groups that is there; one whose
 * groups are all folded away is nowhere, and so is a group without fields.
 */
export function sectionsOf<F extends { readonly name: string }>(
  fields: readonly F[],
  groups: readonly VariableGroup[],
  isThere: (group: VariableGroup) => boolean,
): readonly Section<F>[] {
  const grouped = new Set(groups.flatMap(({ variables }) => variables))
  const left = new Map(fields.map((field) => [field.name, field]))
  const sections = groups.map((group, index): Section<F> => {
    const own = isThere(group) ? group.variables.flatMap((name) => left.get(name) ?? []) : []
    for (const { name } of own) left.delete(name)
    return { key: String(index), group, fields: [...new Set(own)] }
  })
  const loose = { key: 'loose', fields: fields.filter(({ name }) => !grouped.has(name)) }
  return [loose, ...sections].filter(({ fields }) => fields.length > 0)
}
