import { definitionLike } from './definition-like.ts'
import { further } from './further.ts'
import { july2024 } from './july-2024.ts'
import { june2021 } from './june-2021.ts'
import { october2024 } from './october-2024.ts'
import { sketchesIn } from './sketch.ts'

/** The like of one that was published, under its name. */
export interface Published {
  readonly name: string
  readonly definition: object
}

const toPublished = (list: string): readonly Published[] =>
  sketchesIn(list).map((sketch) => ({ name: sketch.name, definition: definitionLike(sketch) }))

/**
 * Definitions of the shape of each template that was published, written for our tests: the same steps, environments,
 * variables and odd spellings, and nothing of their content. By the set that it was in.
 */
export const published: Readonly<Record<string, readonly Published[]>> = {
  'June 2021': toPublished(june2021),
  'July 2024': toPublished(july2024),
  'October 2024': toPublished(october2024),
  'before, between and after': toPublished(further),
}
