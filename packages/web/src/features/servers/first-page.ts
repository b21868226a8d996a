/** Rows per page of the list of servers, until the user chooses. */
export const defaultPageSize = 10

/** The query of a page of the list of servers, with what is shown beside it. */
export const pageQuery = (page: number, limit: number) =>
  ({ page, limit, counts: 'true', permissions: 'true' }) as const
