import { z } from 'zod/mini'

// The content security policy forbids `new Function`, which Zod would try for speed. Must run before any schema is made.
z.config({ jitless: true })
