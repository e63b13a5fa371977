// The basis for drawing in every module: Preact's templates and its reactive values. Text is always escaped;
// nothing in the studio sets HTML.
import { h, render } from "preact";
import htm from "htm";

export const html = htm.bind(h);
export { render };
export { useEffect, useId, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
export { batch, computed, effect, signal, useComputed, useSignal, useSignalEffect } from "@preact/signals";
