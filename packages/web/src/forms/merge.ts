import isEqual from 'fast-deep-equal'

export type FieldName<V> = keyof V & string

/** Returns the fields whose draft differs from the saved value. Fields that are only in one of them are ignored. */
export function changedFields<V extends object>(saved: V, draft: V): readonly FieldName<V>[] {
  return (Object.keys(saved) as FieldName<V>[]).filter(
    (field) => field in draft && !isEqual(draft[field], saved[field]),
  )
}

interface Versions<V> {
  /** The values that the draft started from. */
  readonly saved: V
  readonly draft: V
  /** The values saved now. */
  readonly latest: V
}

/**
 * Moves a draft onto newer saved values: fields that were not edited follow the server, edited ones stay. `conflicts`
 * names the edited fields that someone else changed to another value.
 */
export function rebase<V extends object>({
  saved,
  draft,
  latest,
}: Versions<V>): {
  readonly draft: V
  readonly conflicts: readonly FieldName<V>[]
} {
  const edited = changedFields(saved, draft).filter((field) => field in latest)
  return {
    draft: { ...latest, ...pick(draft, edited) },
    conflicts: edited.filter((field) => !isEqual(latest[field], saved[field]) && !isEqual(latest[field], draft[field])),
  }
}

export function pick<V extends object>(values: V, fields: readonly FieldName<V>[]): Partial<V> {
  return Object.fromEntries(fields.map((field) => [field, values[field]])) as Partial<V>
}
