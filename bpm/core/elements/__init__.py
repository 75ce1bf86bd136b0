"""One file per BPMN element. An element never imports another one; `registry` lists them all."""
