// Before docc's scripts: an address that was escaped on its way to the reader, as mail and chat programs do, is the page's own again.
// Otherwise the list at the side does not find the page.
(() => {
    const path = location.pathname.replace(/%(28|29|2C|3A)/gi, decodeURIComponent);
    if (path !== location.pathname) { history.replaceState(history.state, "", path + location.search + location.hash); }
})();
