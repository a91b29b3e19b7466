//! Guards: a handle, and the wrapped type's own guard.

/// Defines a guard with `Deref`, `DerefMut` (`mut`), `Debug` and `Display`, from its name, the target of its handle,
/// the wrapped guard, and the guarded type.
macro_rules! guard {
    ($(#[$docs:meta])* $name:ident<$($life:lifetime,)? $($type:ident $(= $default:ident)?),+>
        ($owner:ty, $inner:ty) to $target:ident mut
    ) => {
        $crate::sync::guard::guard! {
            $(#[$docs])* $name<$($life,)? $($type $(= $default)?),+>($owner, $inner) to $target
        }

        impl<$($life,)? $($type: ?Sized),+> ::std::ops::DerefMut for $name<$($life,)? $($type),+> {
            fn deref_mut(&mut self) -> &mut $target {
                &mut self.inner
            }
        }
    };
    ($(#[$docs:meta])* $name:ident<$($life:lifetime,)? $($type:ident $(= $default:ident)?),+>
        ($owner:ty, $inner:ty) to $target:ident
    ) => {
        $(#[$docs])*
        pub struct $name<$($life,)? $($type: ?Sized $(= $default)?),+> {
            object: $crate::sync::handle::Handle<$owner>,
            inner: $inner,
        }

        impl<$($life,)? $($type: ?Sized),+> ::std::ops::Deref for $name<$($life,)? $($type),+> {
            type Target = $target;

            fn deref(&self) -> &$target {
                &self.inner
            }
        }

        impl<$($life,)? $($type: ?Sized),+> ::std::fmt::Debug for $name<$($life,)? $($type),+>
        where
            $target: ::std::fmt::Debug,
        {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                self.object.touch();
                self.inner.fmt(f)
            }
        }

        impl<$($life,)? $($type: ?Sized),+> ::std::fmt::Display for $name<$($life,)? $($type),+>
        where
            $target: ::std::fmt::Display,
        {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                self.object.touch();
                self.inner.fmt(f)
            }
        }
    };
}

/// Defines how a guard is narrowed to a part of the guarded value: two functions, the guard that they return, and the
/// references that their closures take.
macro_rules! narrow {
    ($map:ident<V $(: ?$sized:ident)?>, $try_map:ident: $inner:ty => $mapped:ident<$($to:tt),+>, $($from:tt)+) => {
        #[doc = concat!("As tokio's `", stringify!($map), "`.")]
        pub fn $map<F, V $(: ?$sized)?>(this: Self, f: F) -> $mapped<$($to),+>
        where
            F: FnOnce($($from)+) -> $crate::sync::guard::narrow!(@part $($from)+),
        {
            this.object.touch();
            $mapped { object: this.object, inner: <$inner>::$map(this.inner, f) }
        }

        #[doc = concat!("As tokio's `", stringify!($try_map), "`.")]
        ///
        /// # Errors
        /// The guard itself, if the closure returns `None`.
        pub fn $try_map<F, V $(: ?$sized)?>(this: Self, f: F) -> Result<$mapped<$($to),+>, Self>
        where
            F: FnOnce($($from)+) -> Option<$crate::sync::guard::narrow!(@part $($from)+)>,
        {
            let Self { object, inner } = this;
            object.touch();
            match <$inner>::$try_map(inner, f) {
                Ok(inner) => Ok($mapped { object, inner }),
                Err(inner) => Err(Self { object, inner }),
            }
        }
    };
    (@part &mut $from:ident) => { &mut V };
    (@part & $from:ident) => { &V };
}

pub(super) use {guard, narrow};
