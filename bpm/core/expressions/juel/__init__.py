"""The JUEL dialect: parser, coercions, allowed methods, the execution object."""
