/** In the place of a page whose own code is still on its way. */
export function Opening() {
  return (
    <p className="first-word" role="status">
      Opening the page…
    </p>
  );
}
