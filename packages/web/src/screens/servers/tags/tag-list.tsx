import { Badge, Group, Text, VisuallyHidden } from '@mantine/core'
import { useFormatters, useT } from '../../../i18n/i18n.tsx'
import classes from './tags.module.css'

interface TagListProps {
  readonly tags: readonly string[]
  /** How many characters there is space for. Tags beyond are counted, and named in a tooltip. */
  readonly maxCharacters: number
}

/** The tags of a server in one line. */
export function TagList({ tags, maxCharacters }: TagListProps) {
  const t = useT()
  const { number, list } = useFormatters()
  const shown = countThatFit(tags, maxCharacters)
  const hidden = tags.slice(shown)
  return (
    <Group gap="0.25rem" wrap="nowrap" miw={0} component="span">
      {tags.slice(0, shown).map((tag) => (
        <Badge key={tag} component="span" variant="default" size="sm" className={classes.tag}>
          {tag}
        </Badge>
      ))}
      {hidden.length > 0 && (
        <Text span fz="xs" c="dimmed" data-tip={list(hidden)} className={classes.more}>
          <span aria-hidden>{t('servers.MoreTags', { number: number(hidden.length) })}</span>
          <VisuallyHidden>{list(hidden)}</VisuallyHidden>
        </Text>
      )}
    </Group>
  )
}

/** What the border and space of a tag take, in characters. */
const tagFrame = 3

/** How many tags fit; at least one, which is cut. */
export function countThatFit(tags: readonly string[], maxCharacters: number): number {
  let left = maxCharacters
  const firstTooMany = tags.findIndex((tag) => {
    left -= tag.length + tagFrame
    return left < 0
  })
  return firstTooMany < 0 ? tags.length : Math.max(1, firstTooMany)
}
