import type { Formatters } from '../../../i18n/formatters.ts'
import type { TFunction } from '../../../i18n/i18n.tsx'
import classes from './tags.module.css'

interface TagListProps {
  readonly t: TFunction
  readonly formatters: Formatters
  readonly tags: readonly string[]
  /** How many characters there is space for. Tags beyond are counted; a tooltip names all. */
  readonly maxCharacters: number
}

/** The tags of a server in one line. */
export function TagList({ t, formatters: { number, list }, tags, maxCharacters }: TagListProps) {
  const shown = countThatFit(tags, maxCharacters)
  const hidden = tags.slice(shown)
  const isCut = hidden.length > 0 || !fits(tags[0], maxCharacters)
  return (
    <span className={classes.list} data-tip={isCut ? list(tags) : undefined}>
      {tags.slice(0, shown).map((tag) => (
        <span key={tag} className={classes.tag} dir="auto">
          {tag}
        </span>
      ))}
      {hidden.length > 0 && (
        <span className={classes.more} role="img" aria-label={list(hidden)}>
          {t('servers.MoreTags', { number: number(hidden.length) })}
        </span>
      )}
    </span>
  )
}

/** What the border and space of a tag take, in characters. */
const tagFrame = 3

const fits = (tag = '', maxCharacters: number) => tag.length + tagFrame <= maxCharacters

/** How many tags fit; at least one, which is cut. */
export function countThatFit(tags: readonly string[], maxCharacters: number): number {
  let left = maxCharacters
  const firstTooMany = tags.findIndex((tag) => {
    left -= tag.length + tagFrame
    return left < 0
  })
  return firstTooMany < 0 ? tags.length : Math.max(1, firstTooMany)
}
