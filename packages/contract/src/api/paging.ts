import { z } from 'zod/mini'
import { limits } from '../text/limits.ts'

/** A number in a query; non-numeric text counts as too small. */
const Count = z.pipe(
  z.union([z.string(), z.number()]),
  z.transform((input) => (input !== '' && Number.isInteger(Number(input)) ? Number(input) : 0)),
)

/** `?page&limit` of a list: pages from 1, 10 to 100 entries per page; other values are rejected. */
export const PageQuery = z.object({
  page: z._default(z.pipe(Count, z.int().check(z.minimum(1))), 1),
  limit: z._default(z.pipe(Count, z.int().check(z.minimum(1), z.maximum(limits.pageSizeMax))), limits.pageSize),
})
export type PageQuery = z.infer<typeof PageQuery>

export const Paging = z.object({
  page: z.number(),
  pageSize: z.number(),
  maxSize: z.number(),
  total: z.number(),
})
export type Paging = z.infer<typeof Paging>

export function getPaging({ page, limit }: PageQuery, total: number): Paging {
  return { page, pageSize: limit, maxSize: limits.pageSizeMax, total }
}
